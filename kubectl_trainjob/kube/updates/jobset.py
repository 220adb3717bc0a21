"""How JobSet's admission checks the update of a live JobSet.

Mirrors the CRD of JobSet 0.12 and sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go (ValidateUpdate, v0.12), feature
gates at their defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.admission.jobset import JOBSET_SCHEMAS, jobset_schema
from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, SPEC_TYPE
from kubectl_trainjob.kube.facts.types import canonical
from kubectl_trainjob.kube.schemas.composites import MappingNode
from kubectl_trainjob.kube.updates.applying import ATOMIC_IN_JOBSETS, applied
from kubectl_trainjob.kube.updates.differences import AS_DECODED, ChangedValue, PairedPart, changed_values
from kubectl_trainjob.kube.updates.result import STATES, UpdateResult
from kubectl_trainjob.kube.updates.transitions import ImmutableValue, always, broken_rules, result_of
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

_IMMUTABLE = say("field is immutable")
_MANAGED_BY: Pointer = ("spec", "managedBy")
POD_TEMPLATE: Pointer = ("template", "spec", "template")
MUTABLE_IN_PODS: tuple[Pointer, ...] = (
    ("metadata", "annotations"),
    ("metadata", "labels"),
    ("spec", "nodeSelector"),
    ("spec", "tolerations"),
    ("spec", "schedulingGates"),
)
"""The fields of a Pod template that may change while the JobSet is suspended before or after the update."""


def check_jobset_update(old: Body, new: Body) -> UpdateResult:
    """The server's answer when the JobSet `new` is applied and one manager applied `old` before.

    Both as a build prints them, or as users wrote them. Each state replaces their `spec.suspend`.
    """
    old, new = ({**each, "spec": each.get("spec") or {}} for each in (old, new))
    root = jobset_schema(JOBSET_SCHEMAS).root
    live = webhook_defaults(old)  # an update does not call JobSet's mutating webhook
    after, emptied = applied(live, old, new, root, ATOMIC_IN_JOBSETS)
    found = always(broken_rules(PairedPart(live, after, root)))
    jobs = _replicated_jobs(live["spec"], after["spec"], root)
    return result_of([*found, *jobs, *_manager(old["spec"], new["spec"])], emptied)


def _replicated_jobs(old: Body, new: Body, root: MappingNode) -> Iterator[ImmutableValue]:
    """ValidateUpdate's comparison of replicatedJobs: all, but while suspended not `MUTABLE_IN_PODS`."""
    if old.get("replicatedJobs") == new.get("replicatedJobs"):
        return
    before, after = decode_jobs(old), decode_jobs(new)
    always_rejected = set(_changed_jobs(_copy_mutable(before), _copy_mutable(after), root))
    for value in _changed_jobs(before, after, root):
        states = STATES if value in always_rejected else STATES[:1]
        yield ImmutableValue(states, REPLICATED_JOBS, _IMMUTABLE, value)


def decode_jobs(spec: Body) -> Any:
    """The replicatedJobs of a spec as Go decodes them: for example, every Pod template has metadata."""
    return canonical({"replicatedJobs": spec.get("replicatedJobs") or []}, SPEC_TYPE)


def _changed_jobs(old: Body, new: Body, root: MappingNode) -> Iterator[ChangedValue]:
    return changed_values(PairedPart(old, new, root.fields["spec"], ("spec",), ("spec",)), AS_DECODED)


def _copy_mutable(spec: Body) -> Body:
    """ValidateUpdate's munged spec: without the fields that may change. Upstream copies them from the old one."""
    return {field: [_without_mutable(job) for job in jobs] for field, jobs in spec.items()}


def _without_mutable(job: Mapping[str, Any]) -> Any:
    draft = Draft(job)
    for pointer in MUTABLE_IN_PODS:
        draft = draft.drop((*POD_TEMPLATE, *pointer))
    return draft.value


def _manager(old: Body, new: Body) -> Iterator[ImmutableValue]:
    """ValidateUpdate's comparison of managedBy, which may be neither added nor removed."""
    if old.get("managedBy") != new.get("managedBy"):
        yield ImmutableValue(
            STATES, _MANAGED_BY, _IMMUTABLE, ChangedValue(_MANAGED_BY, is_gone=new.get("managedBy") is None)
        )
