"""`build --emit trainjob`: what a Trainer in the cluster is given, after the same checks."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.cli.conftest import Repository
from tests.cli.manifests import (
    FLUX,
    MPI,
    PLAIN,
    Body,
    config,
    config_map,
    manifest,
    overlay,
    runtime,
    team_runtime,
    train_job,
)

MULTIKUEUE = "kueue.x-k8s.io/multikueue"
UNBUILDABLE = [
    pytest.param([train_job("a", "gone")], ("KTJ201", 7), id="no such runtime"),
    pytest.param([train_job("a", "plain", trainer={"nodes": 2}), PLAIN], ("KTJ101", 9), id="schema"),
    pytest.param([train_job("a", "plain", managedBy="acme.io/us"), PLAIN], ("KTJ106", 8), id="rule of the schema"),
    pytest.param([train_job("1a", "plain"), PLAIN], ("KTJ701", 4), id="webhook"),
    pytest.param([train_job("a", "flux", "b"), FLUX], ("KTJ512", 6), id="the controller crashes"),
    pytest.param([train_job("a" * 60, "plain"), PLAIN], ("KTJ702", 4), id="JobSet's admission"),
    pytest.param([runtime("a", {"numNodes": "two"})], ("KTJ103", 7), id="a runtime that no job uses"),
]


def everything() -> list[Body]:
    """Last what is needed first."""
    return [
        train_job("b", "plain"),
        train_job("a", "team", runtimeRef={"name": "team", "kind": "TrainingRuntime"}),
        manifest("Volume", "v", api_version="acme.io/v1"),
        team_runtime("team"),
        runtime("unused"),
        PLAIN,
        config_map("c"),
        manifest("Namespace", "team"),
    ]


def test_train_jobs_and_input_runtimes_are_printed_in_order(repository: Repository) -> None:
    repository.write({"a.yaml": everything()})
    built = repository.build("a.yaml", "--emit", "trainjob")
    assert (built.exit_code, built.err) == (0, "")
    assert built.names == [
        "Namespace/team",
        "ConfigMap/c",
        "ClusterTrainingRuntime/plain",
        "ClusterTrainingRuntime/unused",
        "TrainingRuntime/team",
        "Volume/v",
        "TrainJob/a",
        "TrainJob/b",
    ]


@pytest.mark.parametrize("fmt", ["yaml", "json"])
def test_they_are_printed_as_they_were_written(fmt: str, repository: Repository) -> None:
    """Without what admission fills in: the server that gets them fills it in itself."""
    job = train_job("a", "plain", trainer={"numNodes": 3, "args": ["--größe", "5"]}, runtimePatches=[])
    job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "research", "a": "yes"}
    written = [PLAIN, job, manifest("ConfigMap", "z", data={"a": "1"}, extra=None)]
    repository.write({"a.yaml": written})
    built = repository.build("a.yaml", "--emit", "trainjob", "-o", fmt)
    printed = json.loads(built.out)["items"] if fmt == "json" else built.objects
    by_kind = {body["kind"]: body for body in printed}
    assert by_kind == {body["kind"]: body for body in written}


def test_runtimes_of_the_library_are_not_printed(repository: Repository) -> None:
    repository.write({"jobs/a.yaml": [train_job("a", "plain"), train_job("b", "own"), runtime("own")]})
    repository.write({"runtimes/r.yaml": [PLAIN, runtime("other")], "trainjob.yaml": config(catalog=True)})
    assert repository.build("jobs", "--emit", "trainjob").names == [
        "ClusterTrainingRuntime/own",
        "TrainJob/a",
        "TrainJob/b",
    ]
    assert repository.build("jobs", "runtimes", "--emit", "trainjob").names == [
        "ClusterTrainingRuntime/other",
        "ClusterTrainingRuntime/own",
        "ClusterTrainingRuntime/plain",
        "TrainJob/a",
        "TrainJob/b",
    ]


def test_runtimes_alone_are_a_result(repository: Repository) -> None:
    repository.write({"r.yaml": [PLAIN]})
    built = repository.build("r.yaml", "--emit", "trainjob")
    assert (built.exit_code, built.objects, built.err) == (0, [PLAIN], "")


def test_the_namespace_option_fills_what_is_missing(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("a", "plain"), train_job("b", "plain", "team-a"), team_runtime("r"), PLAIN]})
    printed = repository.build("a.yaml", "--emit", "trainjob", "-n", "team-a").objects
    assert {body["metadata"]["name"]: body["metadata"].get("namespace") for body in printed} == {
        "plain": None,
        "r": "team-a",
        "a": "team-a",
        "b": "team-a",
    }


def test_what_trainer_does_itself_is_not_reported(repository: Repository) -> None:
    """Its controller makes the Secrets and enforces the deadline."""
    jobs = [train_job("a", "mpi", activeDeadlineSeconds=60), train_job("b", "flux", "x", trainer={"numNodes": 2})]
    repository.write({"a.yaml": [*jobs, MPI, FLUX]})
    built = repository.build("a.yaml", "--emit", "trainjob")
    assert (built.exit_code, built.err) == (0, "")
    assert repository.build("a.yaml", "--emit", "jobset").err.count("\nnote: Secret ") == 2


def test_no_namespace_is_assumed(repository: Repository) -> None:
    """The controller knows the one that Flux's configuration must name."""
    repository.write({"a.yaml": [train_job("a", "flux", trainer={"numNodes": 2}), FLUX]})
    assert repository.build("a.yaml", "--emit", "jobset").findings == [("KTJ514", "a.yaml", 3)]
    built = repository.build("a.yaml", "--emit", "trainjob")
    assert (built.exit_code, built.err) == (0, "")


def test_other_notes_are_reported(repository: Repository) -> None:
    repository.write({"a.yaml": [PLAIN, train_job("a", "plain")], "values.yaml": "a: 1\n", "dev/overlay.yaml": ""})
    assert repository.build("--emit", "trainjob").err == (
        "note: overlays are only built if passed with -f: dev\nnote: 1 document without apiVersion and kind ignored\n"
    )


@pytest.mark.parametrize(("bodies", "finding"), UNBUILDABLE)
def test_what_cannot_be_expanded_is_rejected_all_the_same(
    bodies: list[Body], finding: tuple[str, int], repository: Repository
) -> None:
    repository.write({"a.yaml": bodies, "b.yaml": [config_map("b")]})
    built = repository.build(".", "--emit", "trainjob")
    assert (built.exit_code, built.out) == (1, "")
    assert built.findings == [(finding[0], "a.yaml", finding[1])]
    assert built == repository.build(".", "--emit", "jobset")


def test_overlays_are_applied_to_what_is_printed(repository: Repository) -> None:
    settings: Body = {"namespace": "team-a", "nameSuffix": "-dev", "labels": [{"pairs": {"team": "nlp"}}]}
    repository.write({"dev/overlay.yaml": overlay("../jobs", **settings), "runtimes/other.yaml": [runtime("other")]})
    repository.write({"jobs/a.yaml": [train_job("a", "plain", managedBy=MULTIKUEUE), train_job("b", "other"), PLAIN]})
    built = repository.build("dev", "--emit", "trainjob")
    assert (built.exit_code, built.err) == (0, "")
    labels = {"team": "nlp"}
    expected = [
        {**PLAIN, "metadata": {"name": "plain-dev", "labels": labels}},
        train_job("a-dev", "plain-dev", "team-a", managedBy=MULTIKUEUE),
        train_job("b-dev", "other", "team-a"),
    ]
    for body in expected[1:]:
        body["metadata"]["labels"] = labels
    assert built.objects == expected


def test_what_an_overlay_breaks_is_rejected(repository: Repository) -> None:
    patch = {"target": {"kind": "TrainJob"}, "patch": "- {op: remove, path: /spec/trainer/numNodes}\n"}
    repository.write({"dev/overlay.yaml": overlay("../jobs", patches=[patch])})
    repository.write({"jobs/a.yaml": [train_job("a", "flux", "b", trainer={"numNodes": 1}), FLUX]})
    assert repository.build("jobs", "--emit", "trainjob").exit_code == 0
    built = repository.build("dev", "--emit", "trainjob")
    assert (built.exit_code, built.out) == (1, "")
    assert [rule for rule, _, _ in built.findings] == ["KTJ512"]


def test_a_job_for_another_cluster(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("a", "plain", managedBy=MULTIKUEUE), PLAIN]})
    built = repository.build("a.yaml", "--emit", "trainjob")
    assert (built.exit_code, built.err) == (0, "")
    assert built.objects[1]["spec"]["managedBy"] == MULTIKUEUE
    rejected = repository.build("a.yaml", "--emit", "jobset")
    assert (rejected.exit_code, rejected.out, rejected.findings) == (1, "", [("KTJ620", "a.yaml", 8)])


def test_a_job_for_another_cluster_is_checked_too(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("a", "flux", "b", managedBy=MULTIKUEUE), FLUX]})
    built = repository.build("a.yaml", "--emit", "trainjob")
    assert (built.exit_code, built.out, built.findings) == (1, "", [("KTJ512", "a.yaml", 6)])


@pytest.mark.parametrize(
    ("specified", "options", "kinds"),
    [
        pytest.param({}, [], ["JobSet"], id="default"),
        pytest.param({"emit": "jobset"}, [], ["JobSet"], id="jobset"),
        pytest.param({"emit": "trainjob"}, [], ["ClusterTrainingRuntime", "TrainJob"], id="trainjob"),
        pytest.param({"emit": "trainjob"}, ["--emit", "jobset"], ["JobSet"], id="option over trainjob"),
        pytest.param(
            {"emit": "jobset"}, ["--emit", "trainjob"], ["ClusterTrainingRuntime", "TrainJob"], id="other way"
        ),
    ],
)
def test_the_setting_of_the_repository(
    specified: dict[str, str], options: list[str], kinds: list[str], repository: Repository
) -> None:
    repository.write({"trainjob.yaml": config(**specified), "jobs/a.yaml": [PLAIN, train_job("a", "plain")]})
    for path in ("jobs", "-"):
        stdin = yaml.safe_dump_all([PLAIN, train_job("a", "plain")]).encode()
        built = repository.build(path, *options, stdin=stdin)
        assert (built.exit_code, built.err) == (0, "")
        assert [body["kind"] for body in built.objects] == kinds


def test_no_such_setting(repository: Repository) -> None:
    repository.write({"trainjob.yaml": config(emit="pods"), "a.yaml": [config_map("a")]})
    built = repository.build("a.yaml")
    assert (built.exit_code, built.out, built.findings) == (1, "", [("KTJ040", "trainjob.yaml", 3)])
    assert 'emit "pods" is invalid; write jobset or trainjob' in built.err
