"""What one reconcile means for the conditions of a TrainingSet, by the conventions of Flux and kstatus. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any, NamedTuple

from kubectl_trainjob.cluster.controller.training_set import TrainingSet
from kubectl_trainjob.cluster.result import ApplyResult, ObjectResult
from kubectl_trainjob.model.stages import Body, ObjectId

READY = "ReconciliationSucceeded"
_STALLED = frozenset(
    (
        *("BuildFailed", "AccessDenied", "TrainerActive", "ImmutableChangeBlocked", "ConflictBlocked", "PruneRefused"),
        *("DifferenceFound", "ShadowOnly"),
    )
)
_BLOCKED = {"TooMany": "PruneRefused"} | dict.fromkeys(
    ("Conflict", "NotOurs", "OtherSet", "TrainJobExists", "JobSetExists"), "ConflictBlocked"
)
_MOST_OBJECTS, _MOST_BYTES = 5, 1024


class Verdict(NamedTuple):
    """The reason and the message of condition Ready; `summary` counts objects by action, or compared TrainJobs."""

    reason: str
    message: str
    summary: dict[str, int] | None = None

    @property
    def is_ready(self) -> bool:
        """Whether everything is applied, or equal."""
        return self.reason == READY

    @property
    def is_stalled(self) -> bool:
        """Whether only a change helps."""
        return self.reason in _STALLED


class SourceRevision(NamedTuple):
    """What a reconcile knows of its source: the revision and its time, "" before it is known."""

    revision: str = ""
    time: str = ""


def verdict_of(result: ApplyResult, built: Set[ObjectId], revision: str) -> Verdict:
    """The verdict of an apply; `built` are the objects of the files."""
    failed = [each for each in result.objects if each.action == "failed"]
    blocked = [each for each in result.objects if each.action == "refused"]
    if result.is_fine:
        return Verdict(READY, f"Applied revision {revision}", result.summary)
    reasons = [_reason_of_failure(each, built) for each in failed]
    reasons += [_BLOCKED.get(each.reason, "ImmutableChangeBlocked") for each in blocked]
    return Verdict(reasons[0] if reasons else "ReconciliationFailed", listed(failed + blocked), result.summary)


def _reason_of_failure(each: ObjectResult, built: Set[ObjectId]) -> str:
    if each.reason in ("Forbidden", "Unauthorized"):
        return "AccessDenied"
    return "ReconciliationFailed" if each.id in built or each.id.kind == "TrainingSet" else "PruneFailed"


def listed(objects: Sequence[ObjectResult]) -> str:
    """A message about objects: the first five, and the number of the others."""
    return first_of([_line(each) for each in objects])


def first_of(lines: Sequence[str]) -> str:
    """A message of the first five lines, and the number of the others."""
    more = len(lines) - _MOST_OBJECTS
    return shortened("; ".join([*lines[:_MOST_OBJECTS], *([f"and {more} more"] if more > 0 else [])]))


def _line(each: ObjectResult) -> str:
    why = ": ".join(filter(None, (each.reason, each.message)))
    verb = "failed" if each.action == "failed" else f"was {each.action}"
    return f"{each.id} {verb}" + (f" ({why})" if why else "")


def shortened(message: str) -> str:
    """A message of at most 1024 bytes."""
    data = message.encode()
    return message if len(data) <= _MOST_BYTES else data[: _MOST_BYTES - 4].decode(errors="ignore") + " …"


def has_new_verdict(status: Body, verdict: Verdict) -> bool:
    """Whether condition Ready says something else than a verdict."""
    known = find_condition(status, "Ready")
    state = "True" if verdict.is_ready else "False"
    return (known.get("status"), known.get("reason"), known.get("message")) != (state, verdict.reason, verdict.message)


def begun(wanted: TrainingSet, status: Body, revision: str, now: str) -> Body:
    """The status while something new is applied: of a generation or a revision that was not tried before."""
    ready = find_condition(status, "Ready")
    if status.get("lastAttemptedRevision") == revision and ready.get("observedGeneration") == wanted.generation:
        return status
    known = [each for each in status.get("conditions") or () if each["type"] not in ("Reconciling", "Stalled")]
    message = shortened(f"Applying revision {revision}")
    conditions = [*known, _condition(wanted, "Reconciling", "True", "Progressing", message)]
    return {**status, "conditions": _dated(status, conditions, now), "lastAttemptedRevision": revision}


def ended(wanted: TrainingSet, status: Body, verdict: Verdict, attempted: SourceRevision, now: str) -> Body:
    """The status after a reconcile; equal to `status` if nothing changed."""
    state = "True" if verdict.is_ready else "False"
    conditions = [_condition(wanted, "Ready", state, verdict.reason, verdict.message)]
    if verdict.is_stalled:
        conditions.append(_condition(wanted, "Stalled", "True", verdict.reason, verdict.message))
    elif not verdict.is_ready:
        conditions.append(_condition(wanted, "Reconciling", "True", "ProgressingWithRetry", verdict.message))
    found = {
        "conditions": _dated(status, conditions, now),
        "observedGeneration": wanted.generation if verdict.is_ready or verdict.is_stalled else None,
        "lastAttemptedRevision": attempted.revision,
        "lastArtifactTime": attempted.time,
        "lastAppliedRevision": attempted.revision if verdict.is_ready else "",
        "lastHandledReconcileAt": wanted.requested_at,
    }
    return {**status, **{key: value for key, value in found.items() if value}}


def difference(old: Body, new: Body) -> Body:
    """The JSON merge patch from one status to another."""
    patch: dict[str, Any] = dict.fromkeys(old.keys() - new.keys())
    for key, value in new.items():
        known = old.get(key)
        if known != value:
            patch[key] = difference(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return patch


def find_condition(status: Body, kind: str) -> Body:
    """A condition of a status, empty without it."""
    return next((each for each in status.get("conditions") or () if each["type"] == kind), {})


def _condition(wanted: TrainingSet, kind: str, state: str, reason: str, message: str) -> Body:
    head = {"type": kind, "status": state, "observedGeneration": wanted.generation}
    return {**head, "reason": reason, "message": message}


def _dated(status: Body, conditions: Iterable[Body], now: str) -> list[Body]:
    """The conditions with the time of their last change of `status`."""
    found: list[Body] = []
    for each in conditions:
        known = find_condition(status, each["type"])
        is_same = known.get("status") == each["status"]
        found.append({"lastTransitionTime": known["lastTransitionTime"] if is_same else now, **each})
    return found
