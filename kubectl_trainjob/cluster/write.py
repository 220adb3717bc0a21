"""Sends what differs, group by group: deletes of what is recreated first, runs last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import groupby

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.check import check, recheck
from kubectl_trainjob.cluster.desired_objects import order
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.runs import is_deleting
from kubectl_trainjob.cluster.secrets import with_content
from kubectl_trainjob.cluster.side_by_side import side_by_side
from kubectl_trainjob.cluster.steps import Step, Work
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.stages import Body, ObjectId

_TRIES = 5
_POLL = 0.2, 2.0  # seconds between two reads of an object that is being deleted: first, longest
_CACHES = 10.0  # seconds until the webhooks of Trainer know a runtime that was just created


class DeletingError(Exception):
    """The object that was written is being deleted: the write has no effect."""


def write_all(work: Work, steps: Sequence[Step]) -> list[Step]:
    """Every step with its result: kinds one after the other, objects of a kind side by side.

    Groups that wait for the end of a delete come last. None of them waits for another.
    """
    doomed = [step for step in steps if step.plan == "recreate"]
    deleted = iter(side_by_side(partial(_delete_before, work), doomed, partial(work.progress, "deleting runs")))
    steps = [next(deleted) if step.plan == "recreate" else step for step in steps]
    deferred = {step.desired.group for step in steps if step.plan in ("recreate", "wait")}
    first = _written_all(work, [step for step in steps if step.desired.group not in deferred])
    groups = group((step.desired.group, step) for step in steps if step.desired.group in deferred)
    return first + _written_deferred(work, list(groups.values()))


def _written_all(work: Work, steps: Iterable[Step]) -> list[Step]:
    def turn(step: Step) -> int:
        return order(step.desired.id)

    failed: set[tuple[str, str]] = set()
    done: list[Step] = []
    for _, part in groupby(sorted(steps, key=lambda step: (turn(step), step.desired.id)), turn):
        written = side_by_side(
            partial(_write_step, work, failed), list(part), partial(work.progress, "applying objects")
        )
        failed |= {step.desired.group for step in written if step.result.action in ("failed", "refused")}
        done += written
    return done


def _written_deferred(work: Work, groups: list[list[Step]]) -> list[Step]:
    """Write each group as soon as its objects are deleted; groups with remaining objects have failed."""
    done: list[Step] = []
    waiting, pauses = groups, _pauses(work.api)
    while waiting:
        checked = side_by_side(partial(_is_free, work.api), waiting, partial(work.progress, "waiting for deletes"))
        ready = [steps for steps, is_free in zip(waiting, checked, strict=True) if is_free]
        for written in side_by_side(partial(_written_all, work), ready, partial(work.progress, "recreating runs")):
            done += written
        waiting = [steps for steps, is_free in zip(waiting, checked, strict=True) if not is_free]
        if waiting and not next(pauses, False):
            break
    return done + [_too_late(step) for steps in waiting for step in steps]


def _is_free(api: Api, steps: Sequence[Step]) -> bool:
    """Whether all objects were deleted; also True if that is unknown, because the write then detects it."""
    try:
        return all(_is_gone(api, step.desired.id, step.live) for step in steps if step.plan in ("recreate", "wait"))
    except ApiError:
        return True


def _too_late(step: Step) -> Step:
    if step.plan in ("recreate", "wait"):
        return step.ended("failed", "Timeout", "the object is still being deleted")
    return step.ended("skipped", "WithRun", "an object of its group is still being deleted") if step.is_write else step


def _write_step(work: Work, failed: Set[tuple[str, str]], step: Step) -> Step:
    if not step.is_write:
        return step
    if step.desired.group in failed:
        return step.ended("skipped", "WithRun", "an object of its group was not written")
    return _write_object(work, step)


def _delete_before(work: Work, step: Step) -> Step:
    """Send the delete of a run that is recreated; if it changed meanwhile, plan again."""
    try:
        for _ in range(_TRIES):
            assert step.live is not None
            try:
                work.api.delete(step.live, in_foreground=True, any_version=False)
                return step
            except ApiError as error:
                if error.reason != "Stale":
                    raise
            live = work.api.get(step.desired.id)
            if live is None or (is_deleting(live) and live["metadata"]["uid"] == step.live["metadata"]["uid"]):
                return step  # the answer to our own delete was lost
            step = recheck(work, step)
            if step.plan != "recreate":
                return step
    except ApiError as error:
        return step.failed(error)
    return step.ended("failed", "Error", "another client changes the run repeatedly; apply again later")


def _write_object(work: Work, step: Step) -> Step:
    try:
        for _ in range(_TRIES):
            try:
                return _send_step(work, step)
            except DeletingError:
                step = replace(step, plan="wait")
            except ApiError as error:
                if error.reason not in ("Stale", "Exists"):
                    raise
                step = _planned_again(work, step)
            if not step.is_write:
                return step
        return step.ended("failed", "Error", "another client changes the object repeatedly; apply again later")
    except ApiError as error:
        return step.failed(error)


def _planned_again(work: Work, step: Step) -> Step:
    """The plan for the live object; our own create, whose answer was lost, counts as created.

    That run is then not started once more, and a run that must be replaced now is deleted first.
    """
    is_create = step.plan in ("create", "recreate")
    if is_create:
        work = work._replace(options=replace(work.options, reruns=frozenset()))
    again = recheck(work, step)
    if again.plan == "recreate":
        return _delete_before(work, again)
    if not is_create or again.result.action != "unchanged" or again.plan != "done":
        return again
    return again.ended("created" if step.plan == "create" else "recreated", step.result.reason)


def _send_step(work: Work, step: Step) -> Step:
    if step.is_deferred:
        step = _planned_deferred(work, step)
    elif step.plan in ("recreate", "wait"):
        if not wait_until_gone(work.api, step.desired.id, step.live):
            return step.ended("failed", "Timeout", "the object is still being deleted")
        if step.plan == "wait":
            work.members.pop(step.desired.id, None)
            step = check(work, step.desired)
    if not step.is_write:
        return step
    live = _send(work, step)
    if is_deleting(live):
        raise DeletingError
    action = {"create": "created", "apply": "configured", "recreate": "recreated"}[step.plan]
    return step.with_uid(live).ended(action, step.result.reason, fields=step.result.fields)  # type: ignore[arg-type]


def _planned_deferred(work: Work, step: Step) -> Step:
    """The plan of a step whose dry run needs a Namespace, a definition or a runtime of this apply."""
    work.api.resource(step.desired.id)
    end, pauses = work.api.clock.monotonic() + _CACHES, _pauses(work.api)
    while True:
        found = check(work, step.desired)
        if not found.is_deferred:
            return found
        if work.api.clock.monotonic() >= end or not next(pauses, False):
            return check(work._replace(creates_types=False), step.desired)


def _send(work: Work, step: Step) -> Body:
    item = step.desired
    if item.makes:
        created: Body = work.api.create(with_content(item.body, item.makes))
        return created
    is_change = step.plan == "apply"
    # A run may end and be deleted before the answer: then the same create would start it again.
    repeatable = float(item.ttl) if item.ttl is not None and not is_change else float("inf")
    force = work.options.force_conflicts and is_change
    written: Body = work.api.apply(step.body, force=force, repeatable=repeatable)
    return written


def wait_until_gone(api: Api, identity: ObjectId, live: Body | None) -> bool:
    """Wait until an object is deleted, or another one has its name; False after the timeout."""
    pauses = _pauses(api)
    while not _is_gone(api, identity, live):
        if not next(pauses, False):
            return False
    return True


def _pauses(api: Api) -> Iterator[bool]:
    """Pauses between two reads, each longer than the one before, until the time of the command is over."""
    pause, longest = _POLL
    while api.left > pause:
        api.clock.sleep(pause)
        yield True
        pause = min(pause * 1.5, longest)


def _is_gone(api: Api, identity: ObjectId, live: Body | None) -> bool:
    now = api.get(identity, is_secret=identity.kind == "Secret")
    return now is None or (live is not None and now["metadata"]["uid"] != live["metadata"]["uid"])
