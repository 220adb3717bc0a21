"""KTJ710: JobSet creates a headless Service for the host names of its Pods. Its name is `spec.network.subdomain`, or
that of the JobSet."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.jobset import JOBSET_NAME_LABEL
from kubectl_trainjob.lint.check import At, Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body

_COLLISION = 'JobSet uses the existing Service "{}", which gives its Pods no host names; rename this Service'


def find(job: LintedJob) -> Iterator[Hit]:
    """Services of the inputs with this name that do not have the effect."""
    metadata, network = job.jobset["metadata"], job.jobset["spec"].get("network") or {}
    if network.get("enableDNSHostnames") is False:
        return
    subdomain = network.get("subdomain")
    name = subdomain or metadata["name"]
    service = job.context.find("Service", metadata.get("namespace") or "", name)
    if service is None or _serves(service.body, metadata["name"]):
        return
    of_job: At = job.in_train_job("metadata", "name")
    at = job.generated(("spec", "network", "subdomain")) if subdomain else of_job
    yield Hit(say(_COLLISION, name), service.place("metadata", "name"), ((say("JobSet uses this name"), at),))


def _serves(service: Body, jobset: str) -> bool:
    """Whether the Service has the effect of the one that JobSet would create."""
    is_headless = value_at(service, ("spec", "clusterIP")) == "None"
    return is_headless and bool(value_at(service, ("spec", "selector", JOBSET_NAME_LABEL)) == jobset)
