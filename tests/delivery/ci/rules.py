"""What workflows and actions here may say. Each rule reports, in words, where a definition breaks it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

_PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
# What readers copy names a release of ours; the text beside it says to pin it.
_OURS = re.compile(r"kubectl-trainjob/kubectl-trainjob/\.github/actions/(review|comment)@v\d+")
# Of the actions that a privileged workflow may use, none reads code of the pull request.
_DATA_ONLY = re.compile(
    r"actions/download-artifact@[0-9a-f]{40}|github/codeql-action/upload-sarif@[0-9a-f]{40}|.*/\.github/actions/comment@v\d+|\./\.github/actions/comment"
)
_MAY_WRITE = {"pull_request": {"security-events"}, "workflow_run": {"pull-requests"}}
_WORKFLOW = {"name", "on", "permissions", "concurrency", "jobs"}
_JOB = {"if", "name", "needs", "outputs", "runs-on", "timeout-minutes", "permissions", "strategy", "steps"}
_ACTION = {"name", "description", "inputs", "outputs", "runs"}
_STEP = {"id", "if", "name", "uses", "with", "run", "shell", "env", "working-directory"}


def problems(text: str) -> list[str]:
    """All that is wrong with a workflow or a composite action."""
    body = yaml.load(text, Loader=yaml.BaseLoader)  # BaseLoader: the key `on` stays a text
    return [*_texts(text), *(_action(body) if "runs" in body else _workflow(body))]


def _texts(text: str) -> Iterator[str]:
    for line in text.splitlines():
        used = re.match(r" *(?:- )?uses: *(.*)", line)
        if used and not re.fullmatch(rf"(?:{_PINNED.pattern} # v\d+\.\d+\.\d+|{_OURS.pattern}|\./[\w./-]+)", used[1]):
            yield f"is not pinned by a commit with its version beside it: {used[1]}"
    if re.search(r"\bsecrets\b\s*[.\[]", text):
        yield "uses secrets"
    if "secrets: inherit" in text:
        yield "hands on secrets"


def _action(body: Any) -> Iterator[str]:
    yield from _unknown(body, _ACTION, "the action")
    if body["runs"].get("using") != "composite":
        yield "is no composite action"
    for name, reported in (body.get("inputs") or {}).items():
        if not reported.get("description"):
            yield f"input {name} is not described"
    steps = body["runs"]["steps"]
    for step in steps:
        yield from _step(step)
        if "run" in step and step.get("shell") != "bash":
            yield "a script whose shell is not said"
    yield from _references(body, {step.get("id") for step in steps})


def _references(body: Any, ids: set[str | None]) -> Iterator[str]:
    """What an action's expressions mean has to be there."""
    text = yaml.safe_dump(body)
    for name in set(re.findall(r"\binputs\.([\w-]+)", text)) - set(body.get("inputs") or {}):
        yield f"there is no input {name}"
    for name in set(re.findall(r"\bsteps\.([\w-]+)", text)) - ids:
        yield f"there is no step {name}"


def _workflow(body: Any) -> Iterator[str]:
    yield from _unknown(body, _WORKFLOW, "the workflow")
    on = body["on"]
    events = {on} if isinstance(on, str) else set(on)
    if not events <= {"pull_request", "workflow_run"}:
        yield f"runs on {', '.join(sorted(events - {'pull_request', 'workflow_run'}))}"
    if body.get("permissions") != {}:
        yield "begins with permissions"
    for name, job in body["jobs"].items():
        yield from (f"job {name}: {problem}" for problem in _job(job, events))


def _job(job: Any, events: set[str]) -> Iterator[str]:
    yield from _unknown(job, _JOB, "the job")
    if "timeout-minutes" not in job:
        yield "has no limit of time"
    permissions = job.get("permissions")
    if not isinstance(permissions, dict):
        yield "does not say its permissions"
        permissions = {}
    allowed = set().union(*(_MAY_WRITE.get(event, set()) for event in events))
    for name, level in permissions.items():
        if level == "write" and name not in allowed:
            yield f"may write {name}"
        elif level not in ("read", "write", "none"):
            yield f"has permission {name}: {level}"
    if permissions.get("security-events") == "write" and "head.repo.full_name == github.repository" not in job.get(
        "if", ""
    ):
        yield "writes code scanning for forks"
    may_write = "workflow_run" in events or "write" in permissions.values()
    for step in job["steps"]:
        yield from _step(step)
        yield from _of_strangers(step, may_write=may_write)


def _of_strangers(step: Any, *, may_write: bool) -> Iterator[str]:
    if (
        step.get("uses", "").startswith("actions/checkout@")
        and step.get("with", {}).get("persist-credentials") != "false"
    ):
        yield "leaves the token in the checkout"
    if may_write and not _DATA_ONLY.fullmatch(step.get("uses", "")):
        yield "does more than to read data, with rights: " + step.get("uses", step.get("run", ""))


def _step(step: Any) -> Iterator[str]:
    yield from _unknown(step, _STEP, "a step")
    if ("uses" in step) == ("run" in step):
        yield "a step that neither runs nor uses something"
    for expression in re.findall(r"\$\{\{.*?\}\}", step.get("run", ""), re.DOTALL):
        yield f"an expression in a script: {expression}"
    for key in step.get("env", {}):
        if not re.fullmatch("[A-Z_]+", key) or key in ("PATH", "BASH_ENV", "LD_PRELOAD"):
            yield f"sets {key}"


def _unknown(body: Any, known: set[str], what: str) -> Iterator[str]:
    for key in set(body) - known:
        yield f"{what} has {key}"
