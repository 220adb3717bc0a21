"""Waits until runs have started, have ended, or have no Pods. Their states are those of `status`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Literal

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import Inventory, entry_id
from kubectl_trainjob.cluster.jobs.find import FoundJob, live_jobs
from kubectl_trainjob.cluster.jobs.seen import see
from kubectl_trainjob.cluster.jobs.status import JobStatus, status_of
from kubectl_trainjob.cluster.result import ApplyResult, ObjectResult
from kubectl_trainjob.cluster.runs import is_run
from kubectl_trainjob.cluster.stores import store_of
from kubectl_trainjob.compiler.executor import Progress
from kubectl_trainjob.model.stages import ObjectId

Goal = Literal["started", "finished", "resumed", "stopped"]
_POLL = 1.0
_LEFT_ALONE = ("refused", "failed", "skipped")

Problem = tuple[str, str]
"""The reason and the message."""


def wait(api: Api, result: ApplyResult, goal: Goal, progress: Progress) -> ApplyResult:
    """The result, in which runs that did not reach the goal in time, or failed, are marked as failed."""
    runs = {each.id for each in result.objects if is_run(each.id) and each.action not in (*_LEFT_ALONE, "pruned")}
    failed = missed_goals(api, runs, goal, partial(_inventory, api, result), progress)
    return replace(result, objects=tuple(_with_failures(result.objects, failed)))


def missed_goals(
    api: Api,
    runs: Set[ObjectId],
    goal: Goal,
    recorded: Callable[[], Inventory] = dict,
    progress: Progress = lambda _what, _done, _all: None,
) -> dict[ObjectId, Problem]:
    """Wait: the runs that did not reach the goal, and why. `recorded` reads what is known about runs without object."""
    open_ = set(runs)
    failed: dict[ObjectId, Problem] = {}
    while open_:
        found = _statuses_of(api, open_, recorded)
        failed |= {each: problem for each, state in found.items() if (problem := _problem(state, goal))}
        open_ -= {each for each, state in found.items() if each in failed or _has_reached(state, goal)}
        progress("waiting for runs", len(runs) - len(open_), len(runs))
        if open_ and api.left <= _POLL:
            failed |= {each: _too_late(found[each], goal) for each in open_}
            break
        if open_:
            api.clock.sleep(_POLL)
    return failed


def _statuses_of(
    api: Api, runs: Set[ObjectId], recorded: Callable[[], Inventory]
) -> Mapping[ObjectId, JobStatus | ApiError]:
    """The status of each run, or the error that keeps it unknown."""
    try:
        errors, live = live_jobs(api, sorted({each.namespace for each in runs}))
        known = {job.id: job for job in live}
        ended = recorded() if runs - known.keys() else {}
        readable = [each for each in sorted(runs) if each.kind not in errors]
        jobs = [known.get(each) or FoundJob(each, entry=ended.get(entry_id(each))) for each in readable]
        statuses = {job.found.id: status_of(job) for job in see(api, jobs, lambda _note: None)}
    except ApiError as error:
        return dict.fromkeys(runs, error)
    return {each: statuses.get(each) or errors[each.kind] for each in runs}


def _inventory(api: Api, result: ApplyResult) -> Inventory:
    """It says why the loop ended a run that no longer exists."""
    return store_of(api, result.set.namespace, str(result.set)).read().inventory


def _problem(state: JobStatus | ApiError, goal: Goal) -> Problem | None:
    if isinstance(state, ApiError):
        return state.reason, state.message
    if goal == "finished" and state.state == "Failed":
        return state.reason, state.message or "the run failed"
    is_stuck = goal != "stopped" and (state.state, state.reason) == ("Pending", "JobCreationFailed")
    return (state.reason, state.message) if is_stuck else None


def _has_reached(state: JobStatus | ApiError, goal: Goal) -> bool:
    if isinstance(state, ApiError) or state.state in ("Succeeded", "Failed", "Gone"):
        return True
    if goal == "stopped":
        return state.is_suspended is True and not any(role.active for role in state.roles)
    return (goal == "started" and state.is_suspended is True) or (goal != "finished" and state.state == "Running")


def _too_late(state: JobStatus | ApiError, goal: Goal) -> Problem:
    why = ": ".join(filter(None, (state.state, state.reason, state.message))) if isinstance(state, JobStatus) else ""
    return "Timeout", f"the run has not {goal} in time; it is {why}"


def _with_failures(objects: Iterable[ObjectResult], failed: Mapping[ObjectId, Problem]) -> Iterator[ObjectResult]:
    for each in objects:
        problem = failed.get(each.id)
        yield replace(each, action="failed", reason=problem[0], message=problem[1]) if problem else each
