"""The action `review`: its scripts run in bash, in order, on real repositories, with the real tool."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.delivery.ci.expressions import evaluated
from tests.delivery.ci.machine import Machine
from tests.delivery.ci.repositories import BIGGER, GOOD, HARMLESS, JOB, PAUSED, UNBUILT, UNTAGGED, Repository, git
from tests.delivery.ci.runner import ACTIONS, Done

pytestmark = pytest.mark.slow  # the action installs from the package index

REPORTS = ["review.html", "review.json", "review.md", "review.sarif"]


def event(repository: Repository, **pull_request: Any) -> Any:
    """The context `github` of a pull request."""
    head = {"sha": repository.head, "ref": "x", "repo": {"full_name": pull_request.pop("fork", "acme/train")}}
    reported = {"base": {"sha": repository.base}, "head": head, "user": {"login": "ada"}, **pull_request}
    return {
        "event_name": "pull_request",
        "repository": "acme/train",
        "sha": repository.merged,
        "event": {"pull_request": reported},
    }


def reviewed(
    machine: Machine,
    place: Path,
    head: Mapping[str, str],
    base: Mapping[str, str] | None = None,
    **inputs: str,
) -> Done:
    """A pull request's run with all history."""
    repository = Repository(place / "forge", base or {}, head, "feature")
    checkout = repository.checked_out(place / "checkout")
    reported = {name.replace("_", "-"): value for name, value in inputs.items()}
    return machine.review(checkout, event(repository), reported)


@pytest.mark.parametrize(
    ("head", "base", "fail_on", "reported"),
    [
        pytest.param({JOB: HARMLESS}, {}, "error", (0, "safe", "false"), id="nothing changes"),
        pytest.param({JOB: BIGGER}, {}, "error", (1, "refused", "true"), id="an update is refused"),
        pytest.param({JOB: BIGGER}, {}, "never", (0, "refused", "true"), id="and nothing may fail"),
        pytest.param({JOB: UNBUILT}, {}, "error", (1, "unbuilt", "true"), id="the head does not build"),
        pytest.param({JOB: GOOD}, {JOB: UNBUILT}, "error", (0, "unknown", "true"), id="the base does not build"),
        pytest.param({"jobs/more.yaml": UNTAGGED}, {}, "error", (0, "safe", "true"), id="a new warning"),
        pytest.param({"jobs/more.yaml": UNTAGGED}, {}, "warning", (1, "safe", "true"), id="that fails"),
        pytest.param({JOB: PAUSED}, {}, "ends", (1, "ends", "true"), id="a run ends"),
    ],
)
def test_what_it_reports(
    machine: Machine,
    place: Path,
    head: Mapping[str, str],
    base: Mapping[str, str],
    fail_on: str,
    reported: tuple[int, str, str],
) -> None:
    code, verdict, _ = reported
    done = reviewed(machine, place, head, base, fail_on=fail_on)
    assert (done.code, done.outputs["verdict"], done.outputs["changed"]) == reported, done.log
    assert done.outputs["exit-code"] == str(code)
    stored = machine.artifacts / "kubectl-trainjob-review"
    report = json.loads((stored / "review.json").read_text())
    assert report["verdict"] == verdict
    assert sorted(path.name for path in stored.iterdir()) == REPORTS
    assert done.summary == (stored / "review.md").read_text()
    assert [Path(done.outputs[name]).name for name in ("html", "json", "markdown", "sarif")] == REPORTS
    assert all(Path(done.outputs[name]).is_file() for name in ("html", "json", "markdown", "sarif"))
    assert json.loads((stored / "review.sarif").read_text())["version"] == "2.1.0"
    failed = f"::error title=kubectl-trainjob review::verdict '{verdict}' with fail-on '{fail_on}'"
    assert (failed in done.log) == (code == 1)
    assert not list(place.rglob("canary"))


def test_only_what_the_branch_changed_is_reported(machine: Machine, place: Path) -> None:
    repository = Repository(place / "forge", {}, {JOB: HARMLESS}, "feature")
    (repository.directory / JOB).write_text(BIGGER)
    repository.git("commit", "--quiet", "--all", "--message=main moves on")
    repository.base = repository.git("rev-parse", "HEAD")
    done = machine.review(repository.checked_out(place / "checkout"), event(repository))
    assert (done.outputs["verdict"], done.outputs["base"]) == ("safe", repository.base)
    assert done.outputs["head"] == repository.head


@pytest.mark.parametrize(
    ("inputs", "is_shown"),
    [pytest.param({}, True, id="asked for"), pytest.param({"annotations": "false"}, False, id="not")],
)
def test_findings_are_shown_at_their_lines(
    machine: Machine, place: Path, inputs: Mapping[str, str], is_shown: bool
) -> None:
    done = reviewed(machine, place, {"jobs/more.yaml": UNTAGGED}, **inputs)
    assert ("::warning file=jobs/more.yaml,line=" in done.log) == is_shown


def test_inputs_reach_the_command(machine: Machine, place: Path) -> None:
    more = {"jobs/a b/$(touch canary).yaml": BIGGER.replace("fashion-mnist", "fashion-2", 1), JOB: UNBUILT}
    paths = f"\njobs/a b/$(touch canary).yaml\n\n{'runtimes'}\n"
    done = reviewed(
        machine,
        place,
        more,
        paths=paths,
        trainer_version="2.2",
        namespace="vision",
        emit="trainjob",
        fail_on="never",
        artifact="mine",
    )
    assert done.code == 0, done.log
    report = json.loads(Path(done.outputs["json"]).read_text())
    reported = {(each["kind"], each["namespace"]) for each in report["diff"]["objects"]}
    assert reported == {("TrainJob", "vision")}, "the other job, which is not built, was not asked for"
    assert [path.name for path in machine.artifacts.iterdir()] == ["mine"]
    assert not list(place.rglob("canary"))


def test_it_works_in_a_directory(machine: Machine, place: Path) -> None:
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    repository.checked_out(place / "checkout")
    done = machine.review(place, event(repository), {"working-directory": "checkout"})
    assert done.outputs["verdict"] == "refused"


@pytest.mark.parametrize(
    "branch",
    [
        pytest.param("$(touch${IFS}canary)", id="a command"),
        pytest.param("a;touch${IFS}canary;", id="two commands"),
        pytest.param('"`touch${IFS}canary`"', id="quotes"),
        pytest.param("'|touch${IFS}canary|'", id="pipes"),
        pytest.param("::set-output", id="as a refspec"),
        pytest.param("%0A::error::x", id="a command to the runner"),
    ],
)
@pytest.mark.parametrize("depth", [pytest.param((), id="deep"), pytest.param(("--depth=1",), id="shallow")])
def test_branches_are_called_anything(machine: Machine, place: Path, branch: str, depth: tuple[str, ...]) -> None:
    if "::" in branch:
        branch = branch.replace(":", "{}")  # git allows no colon
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, branch)
    checkout = repository.checked_out(place / "checkout", *depth)
    done = machine.review(checkout, event(repository), {"head": f"origin/{branch}"} if not depth else {})
    assert (done.code, done.outputs["verdict"]) == (1, "refused"), done.log
    assert not list(place.rglob("canary"))
    assert not list(machine.directory.rglob("canary"))


@pytest.mark.parametrize("name", ["base", "head"])
@pytest.mark.parametrize(
    "value",
    [
        pytest.param("--upload-pack=touch canary", id="an option of fetch"),
        pytest.param("--output=canary", id="an option"),
        pytest.param("-", id="a dash"),
        pytest.param("ext::sh -c touch% canary", id="a transport"),
        pytest.param("main:canary", id="a refspec"),
        pytest.param("$(touch canary)", id="a command"),
        pytest.param("main\ncanary=1", id="two lines"),
        pytest.param("no-such-branch", id="no branch"),
    ],
)
def test_what_is_no_commit_is_reported(machine: Machine, place: Path, name: str, value: str) -> None:
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    done = machine.review(repository.checked_out(place / "checkout"), event(repository), {name: value})
    words = f"::error title=kubectl-trainjob review::the input '{name}' is not a commit of this checkout"
    assert (done.code, words in done.log) == (2, True), done.log
    assert "canary" not in done.log
    assert not list(place.rglob("canary"))


@pytest.mark.parametrize("depth", ["1", "2"])
def test_a_checkout_of_little_depth_gets_what_it_lacks(machine: Machine, place: Path, depth: str) -> None:
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    checkout = repository.checked_out(place / "checkout", f"--depth={depth}")
    assert git(checkout, "rev-parse", "--is-shallow-repository") == "true"
    done = machine.review(checkout, event(repository))
    assert (done.code, done.outputs["verdict"]) == (1, "refused"), done.log
    assert git(checkout, "rev-parse", "HEAD") == repository.merged, "nothing else is checked out"


def test_where_nothing_can_be_fetched_it_says_what_to_do(machine: Machine, place: Path) -> None:
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    checkout = repository.checked_out(place / "checkout", "--depth=1")
    git(checkout, "remote", "set-url", "origin", (place / "gone").as_uri())
    done = machine.review(checkout, event(repository))
    assert (done.code, "cannot be fetched; check out with fetch-depth: 0" in done.log) == (2, True)


def test_a_new_branch_has_nothing_before_it(machine: Machine, place: Path) -> None:
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    pushed = {"event_name": "push", "sha": repository.head, "event": {"before": "0" * 40}}
    done = machine.review(repository.checked_out(place / "checkout"), pushed)
    assert (done.code, "a new branch has no previous commit" in done.log) == (2, True)


@pytest.mark.parametrize("of", ["push", "merge_group"])
def test_other_events(machine: Machine, place: Path, of: str) -> None:
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    reported = {"before": repository.base} if of == "push" else {"merge_group": {"base_sha": repository.base}}
    context = {"event_name": of, "repository": "acme/train", "sha": repository.merged, "event": reported}
    done = machine.review(repository.checked_out(place / "checkout"), context)
    assert (done.outputs["verdict"], done.outputs["head"]) == ("refused", repository.merged)


def test_histories_without_a_common_commit(machine: Machine, place: Path) -> None:
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.git("commit", "--quiet", "--message=other")
    repository.base = repository.git("rev-parse", "HEAD")
    done = machine.review(repository.checked_out(place / "checkout"), event(repository))
    assert (done.code, "base and head have no common commit" in done.log) == (2, True)


@pytest.mark.parametrize(
    "inputs",
    [
        pytest.param({"fail-on": "sometimes"}, id="fail-on"),
        pytest.param({"trainer-version": "9"}, id="trainer-version"),
        pytest.param({"paths": "no/such"}, id="paths"),
    ],
)
def test_what_cannot_run_fails_with_two_and_stores_nothing(
    machine: Machine, place: Path, inputs: Mapping[str, str]
) -> None:
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    done = machine.review(repository.checked_out(place / "checkout"), event(repository), inputs)
    assert (done.code, done.outputs["exit-code"], done.outputs["verdict"]) == (2, "2", ""), done.log
    assert "review failed" in done.summary
    assert not machine.artifacts.exists()


@pytest.mark.parametrize(
    ("pull_request", "is_uploaded"),
    [
        pytest.param({}, True, id="of the repository"),
        pytest.param({"fork": "mallory/train"}, False, id="a fork"),
        pytest.param({"user": {"login": "dependabot[bot]"}}, False, id="Dependabot"),
    ],
)
def test_code_scanning_gets_what_it_may(place: Path, pull_request: Any, is_uploaded: bool) -> None:
    """The job that may write reads a report; tests/delivery/ci/rules.py rejects any other step."""
    job = yaml.safe_load((ACTIONS / "review" / "examples" / "review.yml").read_text())["jobs"]["code-scanning"]
    condition = job["if"].removeprefix("!cancelled() && ")
    repository = Repository(place / "forge", {}, {JOB: HARMLESS}, "feature")
    needs = {"trainjobs": {"outputs": {"verdict": "safe"}}}
    assert evaluated(condition, {"github": event(repository, **pull_request), "needs": needs}) is is_uploaded
    needs["trainjobs"]["outputs"]["verdict"] = ""
    assert not evaluated(condition, {"github": event(repository, **pull_request), "needs": needs})


_PROGRAM = "sh -c 'touch {canary}; false'"
_SETTINGS = """[core]
repositoryformatversion = 0
bare = true
fsmonitor = PROGRAM
sshCommand = PROGRAM
gitProxy = PROGRAM
hooksPath = hooks
[remote "origin"]
url = URL
uploadpack = PROGRAM
[credential]
helper = "!PROGRAM"
"""


@pytest.mark.parametrize("url", ["ext::sh -c 'touch% CANARY'", "ssh://x/y", "file:///nowhere"])
@pytest.mark.parametrize("depth", [pytest.param((), id="deep"), pytest.param(("--depth=1",), id="shallow")])
def test_a_directory_that_looks_like_a_bare_repository(
    machine: Machine, place: Path, url: str, depth: tuple[str, ...]
) -> None:
    canary = place / "canary"
    program = _PROGRAM.format(canary=canary)
    settings = _SETTINGS.replace("PROGRAM", program).replace("URL", url.replace("CANARY", str(canary)))
    hostile = {
        "jobs/HEAD": "ref: refs/heads/main\n",
        "jobs/config": settings,
        "jobs/objects/info/x": "",
        "jobs/refs/heads/x": "",
        "jobs/hooks/post-checkout": f"#!/bin/sh\n{program}\n",
    }
    repository = Repository(place / "forge", {}, {JOB: BIGGER, **hostile}, "feature")
    checkout = repository.checked_out(place / "checkout", *depth)
    assert git(checkout / "jobs", "rev-parse", "--is-bare-repository") == "true"
    done = machine.review(checkout, event(repository), {"working-directory": "jobs"})
    assert (done.outputs["base"], done.outputs["head"]) == (repository.base, repository.head), done.log
    assert not canary.exists()


@pytest.mark.parametrize("path", [None, "."])
def test_python_takes_nothing_from_the_repository(
    machine: Machine, place: Path, tmp_path: Path, path: str | None
) -> None:
    names = ("pip", "venv", "json", "sys", "kubectl_trainjob", "click", "sitecustomize", "usercustomize", "encodings")
    code = f"open({str(place / 'canary')!r}, 'w')\n"
    hostile = {f"{name}.py": code for name in names} | {"kubectl_trainjob/__init__.py": code}
    repository = Repository(place / "forge", hostile, {JOB: HARMLESS}, "feature")
    fresh = Machine(tmp_path / "machine", sys.executable, machine.environment)
    fresh.directory.mkdir()
    of_job = {"PYTHONPATH": path} if path else {}
    done = fresh.review(repository.checked_out(place / "checkout"), event(repository), environment=of_job)
    assert done.outputs["verdict"] == "safe", done.log
    assert not list(tmp_path.rglob("canary"))


@pytest.mark.slow
def test_what_is_locked_is_enough(place: Path, tmp_path: Path) -> None:
    """The step that installs, with nothing of this environment: all comes from the package index, by hash."""
    repository = Repository(place / "forge", {}, {JOB: BIGGER}, "feature")
    fresh = Machine(tmp_path / "machine", sys.executable, {})
    fresh.directory.mkdir()
    done = fresh.review(repository.checked_out(place / "checkout"), event(repository))
    assert done.outputs["verdict"] == "refused", done.log
