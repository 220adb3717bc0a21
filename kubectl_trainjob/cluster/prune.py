"""Deletes the members that the build no longer has, unless a guard keeps them. A kept object stays a member."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from itertools import groupby

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.advice import advice
from kubectl_trainjob.cluster.desired_objects import order
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.result import Action, ObjectResult
from kubectl_trainjob.cluster.runs import is_disabled, is_run, state_of
from kubectl_trainjob.cluster.side_by_side import side_by_side
from kubectl_trainjob.cluster.steps import Work
from kubectl_trainjob.cluster.write import wait_until_gone
from kubectl_trainjob.model.stages import Body, ObjectId

_WITH_DATA = ("Namespace", "PersistentVolumeClaim", "PersistentVolume", "CustomResourceDefinition")
_MOST = 3
_TRIES = 5
_REASONS = {
    "HoldsData": "objects of this kind are never pruned; delete the object yourself if no data is needed",
    "PruneDisabled": f"annotation {marks.PRUNE} is {marks.DISABLED}; remove it from the object to prune it",
    "ReconcileDisabled": f"annotation {marks.RECONCILE} is {marks.DISABLED}; remove it from the object to prune it",
    "OwnedByOther": "another object owns this object; delete the owner to delete both",
    "Run": "its run is kept",
    "Running": "the run has not ended; a later apply prunes it, or use --prune-running",
}


def prune(work: Work, built: Set[ObjectId], built_members: int) -> list[ObjectResult]:
    """The result for each member that is not in the build, in the order of deletion.

    `built_members` is how many objects of the build are members.
    """
    rest = _candidates(work, built)
    running = {_group(each, live) for each, live in work.members.items() if _is_running(each, live)}
    own = {each: _reason_to_keep(work, each, running) for each in rest}
    runs = {_group(each, work.members[each]): reason for each, reason in own.items() if reason and is_run(each)}
    kept = {each: reason for each in rest if (reason := own[each] or runs.get(_group(each, work.members[each])))}
    doomed = [each for each in rest if each not in kept]
    total = len(doomed) + built_members
    results = {each: _result(work, each, "kept", reason, _REASONS[own[each] or "Run"]) for each, reason in kept.items()}
    if len(doomed) > _MOST and len(doomed) * 2 > total and not work.options.prune_many:
        what = f"{len(doomed)} of {total} objects would be deleted"
        message = f"{what}; {advice('TooMany', work.options.training_set)}"
        results |= {each: _result(work, each, "refused", "TooMany", message) for each in doomed}
    else:
        results |= _delete_all(work, doomed)
    return [results[each] for each in rest]


def skipped_prune(work: Work, built: Iterable[ObjectId]) -> list[ObjectResult]:
    """The results after an apply that was not complete."""
    message = "nothing is pruned, because the apply was not complete; fix the errors and apply again"
    return [_result(work, each, "skipped", "AfterFailure", message) for each in _candidates(work, set(built))]


def _candidates(work: Work, built: Set[ObjectId]) -> list[ObjectId]:
    return sorted((each for each in work.members if each not in built), key=lambda each: (-order(each), each))


def _reason_to_keep(work: Work, identity: ObjectId, running: Set[tuple[str, str]]) -> str:
    """The first guard that holds."""
    metadata = work.members[identity]["metadata"]
    if identity.kind in _WITH_DATA:
        return "HoldsData"
    if is_disabled(work.members[identity], marks.PRUNE):
        return "PruneDisabled"
    if work.options.training_set and is_disabled(work.members[identity], marks.RECONCILE):
        return "ReconcileDisabled"
    if any(owner.get("uid") != work.parent.uid for owner in metadata.get("ownerReferences") or ()):
        return "OwnedByOther"
    is_running = _group(identity, work.members[identity]) in running and not work.options.prune_running
    return "Running" if is_running else ""


def _delete_all(work: Work, doomed: Sequence[ObjectId]) -> Mapping[ObjectId, ObjectResult]:
    """Delete kind after kind. The objects of a run stay until the run is deleted."""
    results: dict[ObjectId, ObjectResult] = {}
    left: set[tuple[str, str]] = set()

    def pruned(identity: ObjectId) -> ObjectResult:
        if _group(identity, work.members[identity]) in left:
            return _result(work, identity, "skipped", "WithRun", "an object of its group still exists")
        return _pruned(work, identity)

    for _, part in groupby(doomed, order):
        for result in side_by_side(pruned, list(part), partial(work.progress, "pruning objects")):
            results[result.id] = result
        left |= {_group(each, work.members[each]) for each, found in results.items() if found.action != "pruned"}
    return results


def _pruned(work: Work, identity: ObjectId) -> ObjectResult:
    live = work.members[identity]
    try:
        gone = work.options.is_dry_run or _is_deleted(work, identity, live)
    except ApiError as error:
        return _result(work, identity, "failed", error.final_reason, error.message)
    if not gone:
        return _result(work, identity, "failed", "Timeout", "the object is still being deleted")
    return _result(work, identity, "pruned")


def _result(work: Work, identity: ObjectId, action: Action, reason: str = "", message: str = "") -> ObjectResult:
    live = work.members[identity]
    uid, job = live["metadata"]["uid"], marks.label(live, marks.TRAIN_JOB)
    return ObjectResult(identity, action, reason, message, uid=uid, train_job=job)


def _is_deleted(work: Work, identity: ObjectId, live: Body) -> bool:
    """Delete exactly this object and wait; a run that changed meanwhile is read again."""
    for _ in range(_TRIES):
        try:
            work.api.delete(live, in_foreground=is_run(identity), any_version=not is_run(identity))
            return wait_until_gone(work.api, identity, live)
        except ApiError as error:
            if error.reason != "Stale":
                raise
        now = work.api.get(identity, is_secret=identity.kind == "Secret")
        if now is None or now["metadata"]["uid"] != live["metadata"]["uid"]:
            return True
        if now["metadata"].get("deletionTimestamp"):
            return wait_until_gone(work.api, identity, live)
        if _is_running(identity, now) and not work.options.prune_running:
            raise ApiError("Error", "the run started again meanwhile")
        live = now
    raise ApiError("Error", "another client changes the object repeatedly; apply again later")


def _is_running(identity: ObjectId, live: Body) -> bool:
    return is_run(identity) and state_of(live) != "terminal"


def _group(identity: ObjectId, live: Body) -> tuple[str, str]:
    return identity.namespace, marks.label(live, marks.TRAIN_JOB) or f"{identity.kind}/{identity.name}"
