"""Sends what differs, group by group: deletes of what is recreated first, runs last."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from functools import partial
from itertools import groupby

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.check import check, recheck
from kubectl_trainjob.cluster.desired import order
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.runs import is_deleting
from kubectl_trainjob.cluster.side_by_side import side_by_side
from kubectl_trainjob.cluster.steps import Step, Work
from kubectl_trainjob.model.stages import Body, ObjectId

_TRIES = 5
_POLL = 0.2, 2.0  # seconds between two looks at an object that is being deleted: first, longest


class DeletingError(Exception):
    """The object that was written is being deleted: the write is lost with it."""


def write_all(work: Work, steps: Iterable[Step]) -> list[Step]:
    """Every step with its result, in the order of work: kinds one after the other, objects of a kind side by side."""
    waiting = [_deleted(work, step) if step.plan == "recreate" else step for step in steps]
    deferred = {step.desired.group for step in waiting if step.plan in ("recreate", "wait")}

    def turn(step: Step) -> tuple[bool, int]:
        return step.desired.group in deferred, order(step.desired.id)

    failed: set[tuple[str, str]] = set()
    done: list[Step] = []
    for _, part in groupby(sorted(waiting, key=lambda step: (*turn(step), step.desired.id)), turn):
        written = side_by_side(partial(_done, work, failed), list(part), partial(work.progress, "applying objects"))
        failed |= {step.desired.group for step in written if step.result.action in ("failed", "refused")}
        done += written
    return done


def _done(work: Work, failed: Set[tuple[str, str]], step: Step) -> Step:
    if not step.is_write:
        return step
    if step.desired.group in failed:
        return step.ended("skipped", "WithRun", "an object of its group was not written")
    return _written(work, step)


def _deleted(work: Work, step: Step) -> Step:
    """Send the delete of a run that is recreated; if it changed meanwhile, plan again."""
    for _ in range(_TRIES):
        assert step.live is not None
        try:
            work.api.delete(step.live, in_foreground=True, any_version=False)
            return step
        except ApiError as error:
            if error.reason != "Stale":
                return step.failed(error)
        live = work.api.get(step.desired.id)
        if live is None or (is_deleting(live) and live["metadata"]["uid"] == step.live["metadata"]["uid"]):
            return step  # the answer to our own delete was lost
        step = recheck(work, step)
        if step.plan != "recreate":
            return step
    return step.ended("failed", "Error", "the run changes all the time")


def _written(work: Work, step: Step) -> Step:
    try:
        for _ in range(_TRIES):
            try:
                return _sent(work, step)
            except DeletingError:
                step = replace(step, plan="wait")
            except ApiError as error:
                if error.reason not in ("Stale", "Exists"):
                    raise
                step = _planned_again(work, step)
            if not step.is_write:
                return step
        return step.ended("failed", "Error", "the object changes all the time")
    except ApiError as error:
        return step.failed(error)


def _planned_again(work: Work, step: Step) -> Step:
    """The plan for what is live now; our own create, whose answer was lost, counts as created."""
    again = recheck(work, step)
    is_ours = step.plan in ("create", "recreate") and again.result.action == "unchanged" and again.plan == "done"
    if not is_ours:
        return again
    return again.ended("created" if step.plan == "create" else "recreated", step.result.reason)


def _sent(work: Work, step: Step) -> Step:
    if step.is_deferred:
        step = check(work._replace(creates_types=False), step.desired)
        if not step.is_write:
            return step
    if step.plan in ("recreate", "wait"):
        if not wait_until_gone(work.api, step.desired.id, step.live):
            return step.ended("failed", "Timeout", "the object is still being deleted")
        if step.plan == "wait":
            work.members.pop(step.desired.id, None)
            step = check(work, step.desired)
            return _sent(work, step) if step.is_write else step
    live = work.api.apply(step.body, force=work.options.force_conflicts and step.plan == "apply")
    if is_deleting(live):
        raise DeletingError
    action = {"create": "created", "apply": "configured", "recreate": "recreated"}[step.plan]
    return step.with_uid(live).ended(action, step.result.reason, fields=step.result.fields)  # type: ignore[arg-type]


def wait_until_gone(api: Api, identity: ObjectId, live: Body | None) -> bool:
    """Wait until an object is gone, or another of its name exists; False if the time is over."""
    pause, longest = _POLL
    while True:
        now = api.get(identity, is_secret=identity.kind == "Secret")
        if now is None or (live is not None and now["metadata"]["uid"] != live["metadata"]["uid"]):
            return True
        if api.left <= pause:
            return False
        api.clock.sleep(pause)
        pause = min(pause * 1.5, longest)
