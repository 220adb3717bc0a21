"""What the validating webhook of TrainJobs says of a TrainJob alone; what it says of job and runtime is in `expand`.

Mirrors kubeflow/trainer pkg/webhooks/trainjob_webhook.go (2.0 to 2.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.admission.metadata import NAME
from kubectl_trainjob.kube.facts.validation import dns_1035_label
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import NAME_INVALID
from kubectl_trainjob.model.stages import Body


def named_by_schema(_job: Body) -> Iterator[Problem]:
    """Nothing: the schema has rules for the name (2.1 to 2.3)."""
    return iter(())


def dns_1035_name(job: Body) -> Iterator[Problem]:
    """The name is a RFC 1035 label (2.0)."""
    name = job.get("metadata", {}).get("name")
    if name and (fault := dns_1035_label(name)):
        yield Problem(NAME_INVALID, NAME, f"name {quoted(name)} {fault}")
