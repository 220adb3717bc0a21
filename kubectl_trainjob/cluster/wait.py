"""Waits until the runs of an apply have started, or have ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.result import ApplyResult, ObjectResult
from kubectl_trainjob.cluster.runs import ending, is_run, state_of
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

Goal = Literal["started", "finished"]
_POLL = 1.0
_LEFT_ALONE = ("refused", "failed", "skipped")


def wait(api: Api, result: ApplyResult, goal: Goal, progress: Callable[[str, int, int], None]) -> ApplyResult:
    """The result, in which runs that did not reach the goal in time, or failed, are marked as failed."""
    runs = [each for each in result.objects if is_run(each.id) and each.action not in (*_LEFT_ALONE, "pruned")]
    open_ = {each.id for each in runs}
    failed: dict[ObjectId, tuple[str, str]] = {}
    while open_:
        for identity in sorted(open_):
            has_ended, problem = _look(api, identity, goal)
            if problem:
                failed[identity] = problem
            if has_ended:
                open_.discard(identity)
        progress("waiting for runs", len(runs) - len(open_), len(runs))
        if open_ and api.left <= _POLL:
            failed |= dict.fromkeys(open_, ("Timeout", f"the run has not {goal} in time"))
            break
        if open_:
            api.clock.sleep(_POLL)
    return replace(result, objects=tuple(_marked(result.objects, failed)))


def _look(api: Api, identity: ObjectId, goal: Goal) -> tuple[bool, tuple[str, str] | None]:
    """Whether the wait for a run is over, and its problem."""
    try:
        live = api.get(identity)
        problem = _problem(api, live, goal)
    except ApiError as error:
        return True, (error.reason, error.message)
    return problem is not None or _has_reached(live, goal), problem


def _marked(objects: Iterable[ObjectResult], failed: dict[ObjectId, tuple[str, str]]) -> Iterable[ObjectResult]:
    for each in objects:
        problem = failed.get(each.id)
        yield replace(each, action="failed", reason=problem[0], message=problem[1]) if problem else each


def _has_reached(live: Body | None, goal: Goal) -> bool:
    if live is None or state_of(live) == "terminal":
        return True
    return goal == "started" and (state_of(live) == "suspended" or _has_pods(live))


def _has_pods(live: Body) -> bool:
    """Whether Pods run: `ready` counts Jobs of JobSets and TrainJobs, and Pods of Jobs."""
    parts = value_at(live, ("status", "replicatedJobsStatus")) or value_at(live, ("status", "jobsStatus")) or ()
    counts = [*parts, value_at(live, ("status",)) or {}]
    return any(each.get("ready") or each.get("succeeded") for each in counts)


def _problem(api: Api, live: Body | None, goal: Goal) -> tuple[str, str] | None:
    if live is None:
        return None
    if goal == "finished" and ending(live) == "Failed":
        return "FailedJobs", "the run failed"
    if live.get("status"):
        return None
    event = api.newest_event(live, "JobCreationFailed")
    return ("JobCreationFailed", event) if event else None
