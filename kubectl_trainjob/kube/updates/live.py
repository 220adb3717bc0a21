"""A JobSet as it lives in a cluster after its creation. Mirrors JobSet's mutating webhook, which asks no update."""

from __future__ import annotations

from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.model.stages import Body


def created(jobset: Body) -> Body:
    """The JobSet with all defaults but the schema's."""
    return webhook_defaults(jobset)


def dropped(old: Body, new: Body) -> tuple[str, ...]:
    """The fields of `spec` that a new JobSet would get a default for, and that this update leaves without any value."""
    defaulted = created(new)["spec"]
    return tuple(key for key in old["spec"] if key in defaulted and key not in new["spec"])
