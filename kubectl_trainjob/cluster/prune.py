"""Deletes the members that the build no longer has, behind guards; an object that is kept stays a member."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.desired import order
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.result import ObjectResult
from kubectl_trainjob.cluster.runs import is_run, state_of
from kubectl_trainjob.cluster.steps import Work
from kubectl_trainjob.cluster.write import wait_until_gone
from kubectl_trainjob.model.stages import Body, ObjectId

_WITH_DATA = ("Namespace", "PersistentVolumeClaim", "PersistentVolume", "CustomResourceDefinition")
_MOST = 3
_TRIES = 5
_REASONS = {
    "HoldsData": "objects of this kind are never pruned",
    "PruneDisabled": f"annotation {marks.PRUNE} is {marks.DISABLED}",
    "OwnedByOther": "the object belongs to an owner",
    "Running": "the run has not ended; a later apply prunes it, or use --prune-running",
}


def prune(work: Work, built: Iterable[ObjectId], parent_uid: str = "") -> list[ObjectResult]:
    """The result for each member that is not in the build, in the order of deletion."""
    names = set(built)
    rest = sorted((each for each in work.members if each not in names), key=lambda each: (-order(each), each))
    running = {_group(each, work.members[each]) for each in rest if _is_running(each, work.members[each])}
    reasons = {each: _kept(work, each, running, parent_uid) for each in rest}
    doomed = [each for each in rest if not reasons[each]]
    total = len(names | set(work.members))
    if len(doomed) > _MOST and len(doomed) * 2 > total and not work.options.prune_many:
        message = f"{len(doomed)} of {total} objects would be deleted; use --prune-many if this is intended"
        too_many = {each: ObjectResult(each, "refused", "TooMany", message) for each in doomed}
    else:
        too_many = {}
    return [too_many.get(each) or _pruned(work, each, reasons[each]) for each in rest]


def _kept(work: Work, identity: ObjectId, running: set[tuple[str, str]], parent_uid: str) -> str:
    """The first guard that holds."""
    metadata = work.members[identity]["metadata"]
    if identity.kind in _WITH_DATA:
        return "HoldsData"
    if (metadata.get("annotations") or {}).get(marks.PRUNE) == marks.DISABLED:
        return "PruneDisabled"
    if any(owner.get("uid") != parent_uid for owner in metadata.get("ownerReferences") or ()):
        return "OwnedByOther"
    is_running = _group(identity, work.members[identity]) in running and not work.options.prune_running
    return "Running" if is_running else ""


def _pruned(work: Work, identity: ObjectId, reason: str) -> ObjectResult:
    live = work.members[identity]
    uid, job = live["metadata"]["uid"], (live["metadata"].get("labels") or {}).get(marks.TRAIN_JOB, "")
    if reason:
        return ObjectResult(identity, "kept", reason, _REASONS[reason], uid=uid, train_job=job)
    try:
        gone = work.options.is_dry_run or _is_deleted(work, identity, live)
    except ApiError as error:
        return ObjectResult(identity, "failed", error.reason, error.message, uid=uid, train_job=job)
    if not gone:
        return ObjectResult(identity, "failed", "Timeout", "the object is still being deleted", uid=uid, train_job=job)
    return ObjectResult(identity, "pruned", uid=uid, train_job=job)


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
    raise ApiError("Error", "the object changes all the time")


def _is_running(identity: ObjectId, live: Body) -> bool:
    return is_run(identity) and state_of(live) != "terminal"


def _group(identity: ObjectId, live: Body) -> tuple[str, str]:
    job = (live["metadata"].get("labels") or {}).get(marks.TRAIN_JOB)
    return identity.namespace, job or f"{identity.kind}/{identity.name}"
