"""What `trainjob.yaml` changes for `build`: limits, the catalogue, and repositories that disagree."""

from __future__ import annotations

import json

import pytest
import yaml

from kubectl_trainjob.repository import catalogue
from tests.cli.conftest import Repository
from tests.cli.manifests import PLAIN, Body, config, config_map, runtime, train_job

MEBIBYTE = 1 << 20


@pytest.mark.parametrize(
    ("first", "second", "what", "line", "option"),
    [
        pytest.param({"emit": "jobset"}, {"emit": "trainjob"}, "emit", 3, ["--emit", "jobset"], id="emit"),
        pytest.param(
            {"target": {"trainer": "2.3"}},
            {"target": {"trainer": "2.2"}},
            "target",
            4,
            ["--trainer-version", "2.3"],
            id="target",
        ),
    ],
)
def test_repositories_that_disagree(
    first: Body, second: Body, what: str, line: int, option: list[str], repository: Repository
) -> None:
    repository.write({"a/trainjob.yaml": config(**first), "a/a.yaml": [PLAIN, train_job("a", "plain")]})
    repository.write({"b/trainjob.yaml": config(**second), "b/b.yaml": [train_job("b", "plain")]})
    built = repository.build("a", "b")
    assert (built.exit_code, built.out, built.findings) == (1, "", [("KTJ042", "b/trainjob.yaml", line)])
    values = [settings[what] if what == "emit" else settings[what]["trainer"] for settings in (second, first)]
    message = (
        f'{what} "{values[0]}" here and "{values[1]}" in another repository of this build; set one value in both\n'
    )
    assert f"error KTJ042 conflicting-settings: {message}" in built.err
    assert f"\na/trainjob.yaml:{line}:" in built.err
    assert built.err.endswith(f" note: the other {what}\n")
    settled = repository.build("a", "b", *option)
    assert (settled.exit_code, settled.names, settled.err) == (0, ["JobSet/a", "JobSet/b"], "")


def test_a_repository_that_says_nothing_disagrees_with_none(repository: Repository) -> None:
    repository.write({"a/trainjob.yaml": config(), "a/a.yaml": [config_map("a")]})
    for name in "bc":
        settings = config(emit="trainjob", target={"trainer": "2.2"})
        repository.write({f"{name}/trainjob.yaml": settings, f"{name}/b.yaml": [runtime(name)]})
    built = repository.build("a", "b", "c")
    assert (built.exit_code, built.err) == (0, "")
    assert built.names == ["ConfigMap/a", "ClusterTrainingRuntime/b", "ClusterTrainingRuntime/c"]


@pytest.mark.parametrize("options", [["-o", "yaml"], ["-o", "json"], ["-O", "out"]])
def test_a_result_beyond_the_limit(options: list[str], repository: Repository) -> None:
    large = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {text: " + "x" * (MEBIBYTE // 2) + "}\n"
    repository.write({f"{name}.yaml": large % name for name in "ab"})
    repository.write({"trainjob.yaml": config(limits={"outputBytes": "1Mi"})})
    built = repository.build(".", *options)
    assert (built.exit_code, built.out) == (2, "")
    assert (
        built.err == "error: the result is larger than 1 MiB, the limit (limits.outputBytes); build fewer TrainJobs\n"
    )
    assert repository.build("a.yaml", *options).exit_code == 0


@pytest.mark.parametrize(
    ("limits", "size", "rules"),
    [
        pytest.param({"fileBytes": "1Ki"}, 1024, [], id="file at the limit"),
        pytest.param({"fileBytes": "1Ki"}, 1025, ["KTJ020"], id="file beyond"),
        pytest.param({"fileBytes": 1024}, 1025, ["KTJ020"], id="a plain number"),
        pytest.param({"buildBytes": "1Ki"}, 1024, [], id="build at the limit"),
        pytest.param({"buildBytes": "1Ki"}, 1025, ["KTJ021"], id="build beyond"),
    ],
)
@pytest.mark.parametrize("path", ["a.yaml", "-"])
def test_the_size_of_what_is_read(limits: Body, size: int, rules: list[str], path: str, repository: Repository) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n".ljust(size, "#")
    repository.write({"trainjob.yaml": config(limits=limits), "a.yaml": text})
    built = repository.build(path, stdin=text.encode())
    assert built.findings == [(rule, path, 1) for rule in rules]
    assert (built.exit_code, built.out == "") == (int(bool(rules)), bool(rules))


def test_the_limit_of_documents(repository: Repository) -> None:
    repository.write({"a.yaml": [config_map("a"), config_map("b")], "trainjob.yaml": config(limits={"documents": 2})})
    assert repository.build("a.yaml").names == ["ConfigMap/a", "ConfigMap/b"]
    repository.write({"b.yaml": [config_map("c")]})
    built = repository.build(".")
    assert (built.exit_code, built.out, built.findings) == (1, "", [("KTJ022", "b.yaml", 1)])
    assert "more than 2 documents in one build, the limit" in built.err


def test_a_limit_may_be_raised(repository: Repository) -> None:
    items, uses = "\n".join(["  - x"] * 1000), "\n".join(["- *x"] * 101)
    repository.write({"a.yaml": [config_map("a")], "values.yaml": f"rows:\n- &x\n{items}\n{uses}\n"})
    built = repository.build(".", "--strict")
    assert (built.exit_code, built.out, [rule for rule, _, _ in built.findings]) == (1, "", ["KTJ024"])
    repository.write({"trainjob.yaml": config(limits={"aliasNodes": "200k"})})
    raised = repository.build(".", "--strict")
    assert (raised.exit_code, raised.names, raised.findings) == (0, ["ConfigMap/a"], [])


def test_a_longer_standard_input_is_read_whole(repository: Repository) -> None:
    """The limit of a file is 32 MiB where nothing else is stated."""
    text = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n#" + b"x" * 32 * MEBIBYTE
    text += b"\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
    assert repository.build("-", stdin=text).findings == [("KTJ020", "-", 1)]
    repository.write({"trainjob.yaml": config(limits={"fileBytes": "33Mi"})})
    assert repository.build("-", stdin=text).names == ["ConfigMap/a", "ConfigMap/b"]


def test_the_catalogue_is_asked_when_the_repository_says_so(repository: Repository) -> None:
    repository.write({"trainjob.yaml": config(catalog=True), "jobs/a.yaml": [train_job("a", "torch-distributed")]})
    built = repository.build("jobs")
    assert (built.exit_code, built.names, built.err) == (0, ["JobSet/a"], "")
    [job] = built.objects[0]["spec"]["replicatedJobs"]
    [container] = job["template"]["spec"]["template"]["spec"]["containers"]
    assert container["image"].startswith("pytorch/pytorch:")


@pytest.mark.parametrize("settings", [None, {}, {"catalog": False}], ids=["no file", "not stated", "stated"])
def test_the_catalogue_is_hinted_at_otherwise(settings: Body | None, repository: Repository) -> None:
    if settings is not None:
        repository.write({"trainjob.yaml": config(**settings)})
    repository.write({"jobs/a.yaml": [train_job("a", "torch-distributed")]})
    built = repository.build("jobs")
    assert (built.exit_code, built.out, built.findings) == (1, "", [("KTJ201", "jobs/a.yaml", 7)])
    assert (
        'ClusterTrainingRuntime "torch-distributed" does not exist; '
        "the catalogue has it: write `catalog: true` in trainjob.yaml\n" in built.err
    )


def test_a_finding_in_a_runtime_of_the_catalogue_is_at_the_reference(repository: Repository) -> None:
    """Nobody edits the files of the tool; the copy that the advice names is edited instead."""
    gpus = {"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}
    repository.write(
        {"trainjob.yaml": config(catalog=True), "a.yaml": [train_job("a", "torch-distributed", trainer=gpus)]}
    )
    found = json.loads(repository.run("lint", "-o", "json").out)["results"]
    assert [(each["rule"], each["file"], each["line"]) for each in found] == [("KTJ309", "a.yaml", 7)]
    assert {each["file"] for each in found[0]["related"]} <= {"a.yaml"}
    advice = 'the runtime "torch-distributed" is in the catalogue: copy it with `kubectl trainjob '
    assert advice in found[0]["message"]
    command = found[0]["message"].partition("`kubectl trainjob ")[2].partition("`")[0]
    assert repository.run(*command.split()).exit_code == 0
    found = json.loads(repository.run("lint", "-o", "json").out)["results"]
    assert [(each["rule"], each["file"]) for each in found] == [("KTJ309", "runtimes/torch-distributed.yaml")]


def test_placeholders_of_a_shell(repository: Repository) -> None:
    jobs = [
        train_job("a", "$RUNTIME"),
        train_job("b", "plain", trainer={"image": "${IMAGE}"}),
        train_job("$JOB", "plain"),
    ]
    repository.write({"a.yaml": [PLAIN, *jobs]})
    found = json.loads(repository.run("lint", "a.yaml", "-o", "json").out)["results"]
    errors = [each for each in found if each["severity"] == "error"]
    assert {each["rule"] for each in errors} == {"KTJ201", "KTJ910", "KTJ701"}
    assert all("is a placeholder; fill it in first, for example with envsubst" in each["message"] for each in errors)


def test_the_catalogue_is_that_of_the_target(repository: Repository) -> None:
    jobs = [train_job("a", "torch-distributed")]
    repository.write({"trainjob.yaml": config(catalog=True, target={"trainer": "2.1"}), "jobs/a.yaml": jobs})
    for options, version in (((), "2.1"), (("--trainer-version", "2.3"), "2.3")):
        built = repository.build("jobs", *options)
        (released,) = yaml.safe_load_all(catalogue.read("torch-distributed", version))
        pods = [each["spec"]["replicatedJobs"][0] for each in (built.objects[0], released["spec"]["template"])]
        used, image = (pod["template"]["spec"]["template"]["spec"]["containers"][0]["image"] for pod in pods)
        assert used == image, version


def test_a_name_that_the_target_does_not_have_is_reported(repository: Repository) -> None:
    repository.write({"trainjob.yaml": config(catalog=True, target={"trainer": "2.1"})})
    repository.write({"jobs/a.yaml": [train_job("a", "jax-distributed")]})
    built = repository.build("jobs")
    assert (built.exit_code, built.findings) == (1, [("KTJ201", "jobs/a.yaml", 7)])
    assert "does not exist; it comes with Trainer 2.2 and 2.3, not with the target version\n" in built.err
    assert repository.build("jobs", "--trainer-version", "2.2").exit_code == 0


@pytest.mark.parametrize("where", ["inputs", "library"])
def test_a_runtime_of_the_repository_goes_before_that_of_the_catalogue(where: str, repository: Repository) -> None:
    own = [runtime("torch-distributed")]
    repository.write({"trainjob.yaml": config(catalog=True), "jobs/a.yaml": [train_job("a", "torch-distributed")]})
    repository.write({"jobs/r.yaml" if where == "inputs" else "runtimes/r.yaml": own})
    [jobset] = repository.build("jobs").objects
    [job] = jobset["spec"]["replicatedJobs"]
    [container] = job["template"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "acme/train:1"
