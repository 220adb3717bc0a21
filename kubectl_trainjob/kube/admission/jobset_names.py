"""Names that JobSet derives: Jobs, Pods, Services and groups.

Mirrors sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go (ValidateCreate) and pkg/util/placement, v0.12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import LABEL_LENGTH, dns_1035_label, dns_1123_subdomain
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import GENERATED_NAME_TOO_LONG, NAME_INVALID, SUBDOMAIN_OR_GROUP_INVALID

_SUFFIX = "-abcde"


def subdomain_problems(network: Mapping[str, Any]) -> Iterator[Problem]:
    """A subdomain is the name of a Service, too."""
    subdomain = network.get("subdomain")
    if not subdomain:
        return
    if fault := dns_1123_subdomain(subdomain) or dns_1035_label(subdomain):
        message = f"subdomain {quoted(subdomain)} {fault}"
        yield Problem(SUBDOMAIN_OR_GROUP_INVALID, ("spec", "network", "subdomain"), message)


def group_problems(jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """Group names go into labels and host names."""
    for index, job in enumerate(jobs):
        if fault := dns_1035_label(job["groupName"]):
            message = f"groupName {quoted(job['groupName'])} {fault}"
            yield Problem(SUBDOMAIN_OR_GROUP_INVALID, ("spec", "replicatedJobs", index, "groupName"), message)


def name_problems(jobset: str, jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """Names of Jobs and Pods: the longest of all decides, other faults are told of each replicatedJob."""
    longest = max((name for job in jobs for name in _generated(jobset, job)), key=len, default="")
    if len(longest) > LABEL_LENGTH:
        room = LABEL_LENGTH - (len(longest) - len(jobset))
        advice = f"use at most {room} characters" if room > 0 else "shorten the names of the replicatedJobs"
        message = (
            f"name {quoted(jobset)} ({len(jobset)} characters) makes the generated name {quoted(longest)} "
            f"longer than {LABEL_LENGTH} characters; {advice}"
        )
        yield Problem(GENERATED_NAME_TOO_LONG, ("metadata", "name"), message)
    if fault := dns_1035_label(jobset[:LABEL_LENGTH].rstrip("-")):
        yield Problem(NAME_INVALID, ("metadata", "name"), f"name {quoted(jobset)} {fault}")
        return
    for index, job in enumerate(jobs):
        # What stands between a valid name and an index needs valid characters only.
        if dns_1035_label(f"a{job['name'][: LABEL_LENGTH - 2]}0"):
            message = f"name {quoted(job['name'])} must consist of lower case letters, digits and '-'"
            yield Problem(NAME_INVALID, ("spec", "replicatedJobs", index, "name"), message)


def _generated(jobset: str, job: Mapping[str, Any]) -> Iterator[str]:
    name = f"{jobset}-{job['name']}-{job['replicas'] - 1}"
    yield name
    spec = job["template"]["spec"]
    if spec["completionMode"] == "Indexed" and spec.get("completions") is not None:
        yield f"{name}-{spec['completions'] - 1}{_SUFFIX}"
