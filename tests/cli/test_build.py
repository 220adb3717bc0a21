"""The command `build`: what its arguments and its directory decide."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Repository
from tests.cli.manifests import PLAIN, Body, config, config_map, manifest, overlay, runtime, stream, train_job

NOTHING = "error: nothing to print: the inputs have no object except runtimes (see --allow-empty)\n"
BEGIN = "note: no TrainJob here; create an example with: kubectl trainjob init\n"
OLD = runtime("old", {"torch": {"numProcPerNode": "auto"}})  # a field of Trainer 2.0 and 2.1
NAMESPACES = {"a": "team-a", "b": "team-b", "c": "team-a"}


def test_arguments_are_heeded(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("a", "old")], "b/b.yaml": [config_map("b")], "c.yaml": [config_map("c")]})
    options = ["-o", "json", "-n", "team-a", "--trainer-version", "2.1", "--emit", "jobset", "--allow-empty"]
    built = repository.build("a.yaml", "-f", "-", "--filename", "b", *options, stdin=stream(OLD).encode())
    assert (built.exit_code, built.err) == (0, "")
    listed = json.loads(built.out)
    assert (listed["apiVersion"], listed["kind"]) == ("v1", "List")
    assert [(item["kind"], item["metadata"]["name"], item["metadata"]["namespace"]) for item in listed["items"]] == [
        ("ConfigMap", "b", "team-a"),
        ("JobSet", "a", "team-a"),
    ]


def test_defaults(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("a", "plain"), config_map("b"), PLAIN]})
    built = repository.build("a.yaml")
    assert (built.exit_code, built.err) == (0, "")
    assert built.out.startswith("apiVersion: v1\nkind: ConfigMap\n")
    assert [list(body["metadata"]) for body in built.objects] == [["name"], ["name"]]
    assert built.names == ["ConfigMap/b", "JobSet/a"]


def test_json_says_the_same_as_yaml(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("a", "plain"), config_map("b", größe="模型"), PLAIN]})
    built, as_json = repository.build("a.yaml"), repository.build("a.yaml", "--output", "json")
    assert json.loads(as_json.out)["items"] == built.objects
    assert "模型" in as_json.out
    assert "模型" in built.out


@pytest.mark.parametrize(
    ("target", "options", "rules"),
    [
        pytest.param(None, [], ["KTJ102"], id="by default the last"),
        pytest.param(None, ["--trainer-version", "2.0"], [], id="option"),
        pytest.param("2.1", [], [], id="target"),
        pytest.param("2.1", ["--trainer-version", "2.3"], ["KTJ102"], id="option over target"),
        pytest.param("2.3", ["--trainer-version", "2.1"], [], id="option over newer target"),
    ],
)
def test_the_trainer_that_is_meant(
    target: str | None, options: list[str], rules: list[str], repository: Repository
) -> None:
    repository.write({"a.yaml": [OLD, train_job("a", "old")]})
    if target is not None:
        repository.write({"trainjob.yaml": config(target={"trainer": target})})
    built = repository.build("a.yaml", *options)
    assert [rule for rule, _, _ in built.findings] == rules
    assert (built.exit_code, built.out == "") == (int(bool(rules)), bool(rules))


@pytest.mark.parametrize(
    ("body", "namespace"),
    [
        pytest.param(config_map("a"), "team-a", id="fills what is missing"),
        pytest.param(config_map("a", "team-a"), "team-a", id="leaves what is stated"),
        pytest.param(manifest("Namespace", "a"), None, id="cluster-scoped kind"),
        pytest.param(manifest("Queue", "a", api_version="acme.io/v1"), "team-a", id="unknown kind"),
    ],
)
def test_the_namespace_option(body: Body, namespace: str | None, repository: Repository) -> None:
    repository.write({"a.yaml": [body]})
    [printed] = repository.build("a.yaml", "-n", "team-a").objects
    assert printed["metadata"].pop("namespace", None) == namespace
    body["metadata"].pop("namespace", None)
    assert printed == body


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"jobs/.keep": ""}, id="empty directory"),
        pytest.param({"jobs/a.yaml": ""}, id="empty file"),
        pytest.param({"jobs/a.yaml": [PLAIN]}, id="a runtime alone"),
        pytest.param({"trainjob.yaml": config(), "jobs/.keep": ""}, id="configuration alone"),
    ],
)
def test_an_empty_result_is_an_error_unless_allowed(content: dict[str, str], repository: Repository) -> None:
    repository.write(content)
    built = repository.build("jobs")
    note = "" if content.get("jobs/a.yaml") else BEGIN
    assert (built.exit_code, built.out, built.err) == (1, "", NOTHING + note)
    built = repository.build("jobs", "--allow-empty")
    assert (built.exit_code, built.out, built.err) == (0, "", "")
    listed = repository.build("jobs", "--allow-empty", "-o", "json")
    assert json.loads(listed.out) == {"apiVersion": "v1", "kind": "List", "items": []}


def test_without_a_path_the_repository_around_is_built(repository: Repository) -> None:
    plain_manifests = {"a.yaml": [config_map("a")], "jobs/b.yaml": [train_job("b", "plain")]}
    repository.write({**plain_manifests, "runtimes/r.yaml": [PLAIN], "jobs/deep/c.yaml": [config_map("c")]})
    named = repository.build(".")
    assert named.names == ["ConfigMap/a", "ConfigMap/c", "JobSet/b"]
    for directory in (".", "jobs", "jobs/deep", "runtimes"):
        repository.enter(directory)
        assert repository.build() == named


@pytest.mark.parametrize("marker", ["git", "configuration", "none"])
def test_what_the_repository_around_is(marker: str, repository: Repository) -> None:
    repository.write({"a.yaml": [config_map("a")], "in/b.yaml": [config_map("b")], "in/side/c.yaml": [config_map("c")]})
    if marker == "none":
        (repository.directory / ".git").rmdir()
    elif marker == "configuration":
        repository.write({"in/trainjob.yaml": config()})
    repository.enter("in/side")
    if marker == "none":
        built = repository.build()
        assert (built.exit_code, built.out) == (2, "")
        assert built.err.startswith("error: no repository here: no trainjob.yaml or .git in ")
        assert repository.build(".").names == ["ConfigMap/c"]
        return
    expected = {"git": "abc", "configuration": "bc"}[marker]
    assert repository.build().names == [f"ConfigMap/{name}" for name in expected]


def test_without_a_path_findings_lead_to_the_file_from_here(repository: Repository) -> None:
    repository.write({"jobs/a.yaml": [train_job("a", "gone")], "overlays/dev/b.yaml": []})
    repository.enter("overlays/dev")
    built = repository.build()
    assert (built.exit_code, built.out) == (1, "")
    assert built.findings == [("KTJ201", "../../jobs/a.yaml", 7)]


@pytest.mark.parametrize(
    ("overlays", "note"),
    [
        pytest.param(["dev"], "note: overlays are only built if passed with -f: overlays/dev\n", id="one"),
        pytest.param(
            ["prod", "dev", "dev/inner"],
            "note: overlays are only built if passed with -f: overlays/dev, overlays/prod\n",
            id="several, and what lies in one of them",
        ),
    ],
)
def test_overlays_that_are_left_out_are_named(overlays: list[str], note: str, repository: Repository) -> None:
    repository.write({f"overlays/{name}/overlay.yaml": overlay("more.yaml") for name in overlays})
    repository.write({f"overlays/{name}/more.yaml": [config_map(f"of-{name[-3:]}")] for name in overlays})
    nothing = repository.build()
    assert (nothing.exit_code, nothing.out, nothing.err) == (1, "", NOTHING + note)
    allowed = repository.build("--allow-empty")
    assert (allowed.exit_code, allowed.out, allowed.err) == (0, "", note)
    repository.write({"jobs/a.yaml": [config_map("a")]})
    for arguments in ([], ["."], ["jobs", "overlays"]):
        built = repository.build(*arguments)
        assert (built.exit_code, built.names, built.err) == (0, ["ConfigMap/a"], note)
    assert repository.build("jobs").err == ""


def test_overlays_that_are_named_are_built_beside_each_other(repository: Repository) -> None:
    repository.write({"jobs/a.yaml": [train_job("a", "plain"), config_map("shared")], "runtimes/r.yaml": [PLAIN]})
    for name in ("dev", "prod"):
        repository.write({f"overlays/{name}/overlay.yaml": overlay("../../jobs", namespace=name)})
    built = repository.build("overlays/prod", "overlays/dev/overlay.yaml", "jobs")
    assert (built.exit_code, built.err) == (0, "")
    assert [(body["kind"], body["metadata"].get("namespace")) for body in built.objects] == [
        ("ConfigMap", None),
        ("ConfigMap", "dev"),
        ("ConfigMap", "prod"),
        ("JobSet", None),
        ("JobSet", "dev"),
        ("JobSet", "prod"),
    ]


@pytest.mark.parametrize(
    ("settings", "names", "findings"),
    [
        pytest.param({}, ["ConfigMap/shared"], [], id="alike"),
        pytest.param({"annotations": {"a": "b"}}, [], [("KTJ806", "s.yaml", 4)], id="not alike"),
    ],
)
def test_an_object_that_two_overlays_give(
    settings: Body, names: list[str], findings: list[tuple[str, str, int]], repository: Repository
) -> None:
    repository.write({"s.yaml": [config_map("shared")], "a/overlay.yaml": overlay("../s.yaml")})
    repository.write({"b/overlay.yaml": overlay("../s.yaml", **settings)})
    built = repository.build("a", "b")
    assert (built.exit_code, built.names, built.findings) == (int(bool(findings)), names, findings)
    assert ("is duplicate" in built.err) == bool(findings)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["x", "--trainer-version", "1.9"],
            "Invalid value for '--trainer-version': Trainer \"1.9\" is not supported; "
            "supported: 2.0, 2.1, 2.2.0, 2.2, 2.3, next",
            id="version",
        ),
        pytest.param(
            ["x", "-n", "Team A"],
            "Invalid value for '-n' / '--namespace': \"Team A\" is not a valid namespace; use "
            'up to 63 lower case letters, digits and "-"',
            id="namespace",
        ),
        pytest.param(
            ["x", "-n", "a\x1b[31m"],
            "Invalid value for '-n' / '--namespace': \"a\\x1b[31m\" is not a valid namespace; use "
            'up to 63 lower case letters, digits and "-"',
            id="control characters",
        ),
        pytest.param(["x", "-n", "a" * 64], f'"{"a" * 64}" is not a valid namespace', id="long namespace"),
        pytest.param(["x", "-o", "wide"], "'wide' is not one of 'yaml', 'json'.", id="format"),
        pytest.param(["x", "--emit", "pods"], "'pods' is not one of 'jobset', 'trainjob'.", id="emit"),
        pytest.param(["x", "--no-such"], "No such option '--no-such'.", id="option"),
    ],
)
def test_a_wrong_command_line(arguments: list[str], message: str, repository: Repository) -> None:
    built = repository.build(*arguments)
    assert (built.exit_code, built.out) == (2, "")
    usage, error = built.err.splitlines()  # and nothing of the path, which is not there: it was not looked at
    assert usage == "Usage: kubectl trainjob build [OPTIONS] [PATH...]"
    assert error.startswith("error: ")
    assert message in error


def test_an_option_without_its_value(repository: Repository) -> None:
    built = repository.build("x", "--trainer-version")
    assert (built.exit_code, built.out) == (2, "")
    assert built.err == "error: Option '--trainer-version' requires an argument.\n"
