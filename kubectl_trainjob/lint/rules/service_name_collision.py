"""KTJ710: JobSet makes a headless Service for the host names of its Pods, named like the JobSet or like its
`spec.network.subdomain`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.jobset import JOBSET_NAME_LABEL
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import At, Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import SERVICE_NAME_COLLISION
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body


def _find(job: LintedJob) -> Iterator[Hit]:
    metadata, network = job.jobset["metadata"], job.jobset["spec"].get("network") or {}
    if network.get("enableDNSHostnames") is False:
        return
    subdomain = network.get("subdomain")
    name = subdomain or metadata["name"]
    service = job.around.find("Service", metadata.get("namespace") or "", name)
    if service is None or _serves(service.body, metadata["name"]):
        return
    message = (
        f'JobSet takes the Service "{name}" for its own, which does not give its Pods host names; give this Service '
        "another name"
    )
    by_job: At = job.in_train_job("metadata", "name")
    related = (
        "this name is taken for the Service",
        job.made(("spec", "network", "subdomain")) if subdomain else by_job,
    )
    yield Hit(message, service.place("metadata", "name"), (related,))


def _serves(service: Body, jobset: str) -> bool:
    """Whether the Service does what the one does that JobSet makes."""
    is_headless = value_at(service, ("spec", "clusterIP")) == "None"
    return is_headless and bool(value_at(service, ("spec", "selector", JOBSET_NAME_LABEL)) == jobset)


CHECK = JobCheck(SERVICE_NAME_COLLISION, _find)
