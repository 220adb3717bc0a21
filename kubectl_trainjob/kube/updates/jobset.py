"""What JobSet's admission says to the update of a live JobSet.

Mirrors the CRD of JobSet 0.12 and sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go (ValidateUpdate, v0.12), feature
gates at their defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.facts.jobset import API_VERSION, KIND, REPLICATED_JOBS, SPEC_TYPE
from kubectl_trainjob.kube.facts.types import canonical
from kubectl_trainjob.kube.schemas.composites import Object
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.updates.applying import ATOMIC_IN_JOBSETS, applied
from kubectl_trainjob.kube.updates.changed import AS_DECODED, Value, changed
from kubectl_trainjob.kube.updates.parts import Ends
from kubectl_trainjob.kube.updates.refusals import Refused, always, broken_transitions, verdict_of
from kubectl_trainjob.kube.updates.verdict import STATES, Verdict
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

_SCHEMAS = "jobset-0.12"
_IMMUTABLE = "field is immutable"
_MANAGED_BY: Pointer = ("spec", "managedBy")
_POD_TEMPLATE: Pointer = ("template", "spec", "template")
_MUTABLE: tuple[Pointer, ...] = (
    ("metadata", "annotations"),
    ("metadata", "labels"),
    ("spec", "nodeSelector"),
    ("spec", "tolerations"),
    ("spec", "schedulingGates"),
)
"""What may change of a Pod template while the JobSet is suspended before or after the update."""


def jobset_verdict(old: Body, new: Body) -> Verdict:
    """What the server says when the JobSet `new` is applied where one manager applied `old`.

    Both as a build prints them, or as somebody wrote them. `spec.suspend` is the state's, whatever they say.
    """
    root = schema_for(_SCHEMAS, API_VERSION, KIND).root
    live = webhook_defaults(old)  # an update does not ask JobSet's mutating webhook
    after, emptied = applied(live, old, new, root, ATOMIC_IN_JOBSETS)
    found = always(broken_transitions(live, after, root))
    jobs = _replicated_jobs(live["spec"], after["spec"], root)
    return verdict_of([*found, *jobs, *_manager(old["spec"], new["spec"])], emptied)


def _replicated_jobs(old: Body, new: Body, root: Object) -> Iterator[Refused]:
    """ValidateUpdate's comparison of replicatedJobs: all of them, but while suspended not what `_MUTABLE` names."""
    if old.get("replicatedJobs") == new.get("replicatedJobs"):
        return
    before, after = _decoded(old), _decoded(new)
    always_refused = set(_changed_jobs(_munged(before), _munged(after), root))
    for value in _changed_jobs(before, after, root):
        states = STATES if value in always_refused else STATES[:1]
        yield Refused(states, REPLICATED_JOBS, _IMMUTABLE, value)


def _decoded(spec: Body) -> Any:
    """The replicatedJobs as Go decodes them: among other things, every Pod template has metadata."""
    return canonical({"replicatedJobs": spec.get("replicatedJobs") or []}, SPEC_TYPE)


def _changed_jobs(old: Body, new: Body, root: Object) -> Iterator[Value]:
    return changed(old, new, root.fields["spec"], AS_DECODED, Ends(("spec",), ("spec",)))


def _munged(spec: Body) -> Body:
    """ValidateUpdate's munged spec. Here both sides lose what may differ; upstream the new takes it from the old."""
    return {"replicatedJobs": [_without_mutable(job) for job in spec.get("replicatedJobs", ())]}


def _without_mutable(job: Mapping[str, Any]) -> Any:
    draft = Draft(job)
    for pointer in _MUTABLE:
        draft = draft.drop((*_POD_TEMPLATE, *pointer))
    return draft.value


def _manager(old: Body, new: Body) -> Iterator[Refused]:
    """ValidateUpdate's comparison of managedBy, which may neither come nor go."""
    if old.get("managedBy") != new.get("managedBy"):
        yield Refused(STATES, _MANAGED_BY, _IMMUTABLE, Value(_MANAGED_BY, is_gone=new.get("managedBy") is None))
