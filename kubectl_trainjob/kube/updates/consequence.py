"""What a change does in a cluster, in words.

Mirrors kubeflow/trainer 2.0 to 2.3: an existing JobSet is applied again only while it or its TrainJob is suspended
(pkg/runtime/framework/plugins/jobset/jobset.go, Build); since 2.3 a TrainJob is expanded from the runtime that it found
first (pkg/runtime/core/snapshot.go); until 2.2 a finalizer keeps a runtime while TrainJobs refer to it
(pkg/controller/trainingruntime_controller.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeGuard

from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.facts.kinds import KindRole, is_job, role_of
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.updates.immutable import immutable_verdict
from kubectl_trainjob.kube.updates.refusals import EMPTIED
from kubectl_trainjob.kube.updates.verdict import STATES, Refusal, State, Verdict, reachable
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_IN_PLACE = ("ConfigMap", "PodGroup", "Secret")
_SNAPSHOTS = ("2.3",)
_ANEW = "needs a new name, or delete and create"
_PRUNED = "is deleted where pruning is on"
_ONLY: Mapping[frozenset[State], str] = {
    frozenset(("running",)): "applies only while suspended, before or after the update",
    frozenset(("running", "resuming")): "applies only while suspended after the update",
}
_TURNS: Mapping[State, tuple[str, str]] = {
    "suspending": ("suspends the job, so that its Pods end", "would suspend the job"),
    "resuming": ("starts the job", "would start the job"),
}
_RESPELLED = (
    "Trainer's webhook writes quantities anew, so that one counts as changed: write it canonically, such as 1 for 1000m"
)


def consequence(
    identity: ObjectId,
    verdict: Verdict | None,
    old: Body | None,
    new: Body | None,
    version: str,
    made: Verdict | None = None,
) -> str:
    """What the change of one object does where the Trainer `version` runs: a predicate, such as "applies in place".

    `old` is None for what is new, `new` for what is removed, `verdict` for a kind without rules. `made` is the verdict
    on the JobSet that a changed TrainJob becomes, None where that does not change.
    """
    if old is None:
        return "is created"
    if new is None:
        return _removed(identity, version)
    if _is_runtime(identity):
        return _changed_runtime(verdict, version)
    if not is_job(identity):
        return _changed_other(identity, verdict or immutable_verdict(old, new))
    assert verdict is not None
    states = reachable(old, new)
    if len(states) == 1:
        return _turned(identity, verdict, made, old, new)
    return f"{_applied(identity, verdict, old, new)}{_followed(verdict, made)}{_without(identity, verdict, old, new)}"


def _is_runtime(identity: ObjectId) -> bool:
    return role_of(identity) is KindRole.RUNTIME


def _is_jobset(identity: ObjectId) -> bool:
    return role_of(identity) is KindRole.JOB_SET


def _removed(identity: ObjectId, version: str) -> str:
    if is_job(identity):
        return f"{_PRUNED}: a running job ends"
    if not _is_runtime(identity):
        return _PRUNED
    if version in _SNAPSHOTS:
        return f"{_PRUNED}: TrainJobs that refer to it run on, but can no longer be changed"
    return f"{_PRUNED}, once no TrainJob refers to it"


def _changed_runtime(verdict: Verdict | None, version: str) -> str:
    if verdict is not None and verdict.refused:
        return f"is refused ({_reasons(verdict)}) and {_ANEW}"
    if version in _SNAPSHOTS:
        told = "running jobs keep their runtime snapshot, and so do suspended ones"
        return f"has no effect on TrainJobs that exist: {told}"
    return "changes suspended TrainJobs, as far as JobSet allows; running ones keep their JobSets"


def _changed_other(identity: ObjectId, verdict: Verdict) -> str:
    if verdict.refused:
        return f"is refused ({_reasons(verdict)}) and {_ANEW}"
    in_place = identity.kind in _IN_PLACE
    return "is updated in place" if in_place else "is applied; the cluster decides whether it may change"


def _turned(identity: ObjectId, verdict: Verdict, made: Verdict | None, old: Body, new: Body) -> str:
    """What is said where the files suspend or start the job: no other state can be met."""
    (state,) = reachable(old, new)
    does, would = _TURNS[state]
    if verdict.accepts(state):
        followed = "" if made is None or made.accepts(state) else _stuck(made)
        return f"applies in place and {does}{followed}{_without(identity, verdict, old, new)}"
    if verdict.accepts("suspended"):
        return f"{would}, but is refused ({_reasons(verdict)}): apply all else while it is suspended, then start it"
    return f"{would}, but is refused in every state ({_reasons(verdict)}){_advice(identity, verdict, old, new)}"


def _applied(identity: ObjectId, verdict: Verdict, old: Body, new: Body) -> str:
    refused = frozenset(state for state in STATES if not verdict.accepts(state))
    if not refused:
        return "applies in place"
    if refused in _ONLY:
        return f"{_ONLY[refused]} ({_reasons(verdict)})"
    assert refused == frozenset(STATES)
    return f"is refused in every state ({_reasons(verdict)}){_advice(identity, verdict, old, new)}"


def _advice(identity: ObjectId, verdict: Verdict, old: Body, new: Body) -> str:
    """What to do about a refusal that holds in every state."""
    for_good = [refusal for refusal in verdict.refused if refusal.state == "suspended"]
    if all(refusal.reason.endswith(EMPTIED) for refusal in for_good):
        return ""  # nothing but another spelling is in the way, and the reason says which
    if not _is_jobset(identity) and all(_is_respelled(refusal, old, new) for refusal in for_good):
        return f": {_RESPELLED}; a job that lives already {_ANEW}"
    return f" and {_ANEW}"


def _is_respelled(refusal: Refusal, old: Body, new: Body) -> bool:
    """Whether the files do not change the value, or only how a quantity is written."""
    before, after = (value_at(body, refusal.pointer) for body in (old, new))
    if before == after:
        return before is not None
    try:
        return _is_number(before) and _is_number(after) and Quantity.parse(before) == Quantity.parse(after)
    except QuantityError:
        return False


def _is_number(value: object) -> TypeGuard[str | int | float]:
    """Whether a value may spell a quantity."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _reasons(verdict: Verdict) -> str:
    """The server's reasons, each once; of those that hold in every state if there are any."""
    for_good = [refusal.reason for refusal in verdict.refused if refusal.state == "suspended"]
    reasons = for_good or [refusal.reason for refusal in verdict.refused]
    return ", ".join(dict.fromkeys(map(_short, reasons)))


def _short(reason: str) -> str:
    field, _, message = reason.partition(": ")
    is_immutable = message.endswith("is immutable") or message.startswith("field is immutable when")
    return f"{field} is immutable" if is_immutable else reason


def _followed(verdict: Verdict, made: Verdict | None) -> str:
    if made is None or not verdict.accepts("suspended"):
        return ""
    if made.accepts("suspended"):
        return "; a running JobSet stays as it is until the job is suspended"
    return _stuck(made)


def _stuck(made: Verdict) -> str:
    return f"; its JobSet cannot follow ({_reasons(made)}) and {_ANEW}"


def _without(identity: ObjectId, verdict: Verdict, old: Body, new: Body) -> str:
    """What is accepted, but hardly what somebody wants: fields that a new JobSet would get a default for."""
    if not _is_jobset(identity) or not verdict.accepts("suspended"):
        return ""
    fields = [f"spec.{field}" for field in _without_defaults(old, new)]
    if not fields:
        return ""
    return f"; {' and '.join(fields)} {'is' if len(fields) == 1 else 'are'} lost, and no default comes back"


def _without_defaults(old: Body, new: Body) -> Iterator[str]:
    """The fields of `spec` for which a new JobSet would get a default, and which this update leaves without a value."""
    defaulted = webhook_defaults(new)["spec"]
    return (key for key in old["spec"] if key in defaulted and key not in new["spec"])
