"""The changes of a live run that no update can make: the run must be deleted and created again.

Compares a live object with its new state. The API server silently accepts some of these changes: a field that
was applied and is not set now is removed from a JobSet, past all checks. Measured with JobSet 0.12 and Trainer 2.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.admission.jobset import JOBSET_SCHEMAS, jobset_schema
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.schemas.composites import MappingNode
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.updates.applying import ATOMIC, ATOMIC_IN_JOBSETS, applied
from kubectl_trainjob.kube.updates.differences import AS_DECODED, PairedPart, changed_values
from kubectl_trainjob.kube.updates.jobset import MUTABLE_IN_PODS, POD_TEMPLATE, decode_jobs
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body, identity_of


class _Rules(NamedTuple):
    """What may change in the spec of a kind: always, by being added, and while the run is suspended."""

    mutable: tuple[str, ...]
    addable: tuple[str, ...] = ()
    while_suspended: tuple[str, ...] = ()


_JOBSET = _Rules(("suspend", "ttlSecondsAfterFinished"), ("coordinator", "failurePolicy"))
_TRAIN_JOB = _Rules(("suspend",), ("activeDeadlineSeconds",), tuple(sorted(trainer.OVERRIDES)))


def frozen_changes(live: Body, after: Body, version: str, *, has_queue: bool = False) -> tuple[Pointer, ...]:
    """The changed values that freeze a live JobSet or TrainJob; none for other kinds.

    `version` is the release of Trainer. `has_queue`: Kueue does not see changes of a queued job's Pods, therefore they
    are frozen, too.
    """
    root = _root(live, version)
    if root is None:
        return ()
    is_jobset = role_of(identity_of(live)) is KindRole.JOB_SET
    may_patch = not has_queue and any(value_at(each, ("spec", "suspend")) is True for each in (live, after))
    rules = _JOBSET if is_jobset else _TRAIN_JOB
    sides = [_decode(each) if is_jobset else each for each in (live, after)]
    part = PairedPart(sides[0].get("spec") or {}, sides[1].get("spec") or {}, root.fields["spec"], ("spec",), ("spec",))
    found = (each.pointer for each in changed_values(part, AS_DECODED))
    return tuple(each for each in found if not _may_change(each, live, rules, may_patch=may_patch))


def as_applied(live: Body, before: Body, new: Body, version: str) -> Body | None:
    """The object after an apply of `new`, where the manager applied `before` to it; None for kinds without a schema."""
    root = _root(live, version)
    if root is None:
        return None
    is_jobset = role_of(identity_of(live)) is KindRole.JOB_SET
    body: Body = applied(live, before, new, root, ATOMIC_IN_JOBSETS if is_jobset else ATOMIC).body
    return body


def _root(live: Body, version: str) -> MappingNode | None:
    role = role_of(identity_of(live))
    if role is KindRole.JOB_SET:
        return jobset_schema(JOBSET_SCHEMAS).root
    if role is KindRole.TRAINING_JOB:
        return schema_for(f"trainer-{version}", trainer.API_VERSION, trainer.TRAIN_JOB).root
    return None


def _decode(body: Body) -> Mapping[str, Any]:
    spec = body.get("spec") or {}
    return {"spec": {**spec, **decode_jobs(spec)}}


def _may_change(pointer: Pointer, live: Body, rules: _Rules, *, may_patch: bool) -> bool:
    field = pointer[1]
    if field in rules.mutable:
        return True
    if field in rules.addable:
        return value_at(live, pointer[:2]) is None
    if field in rules.while_suspended:
        return may_patch
    return may_patch and _is_mutable_in_pods(pointer)


def _is_mutable_in_pods(pointer: Pointer) -> bool:
    inner = pointer[3 + len(POD_TEMPLATE) :]
    is_pod = pointer[1] == "replicatedJobs" and pointer[3 : 3 + len(POD_TEMPLATE)] == POD_TEMPLATE
    return is_pod and any(inner[: len(each)] == each for each in MUTABLE_IN_PODS)
