"""Volume claims of a JobSet.

Mirrors sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go (validateVolumeClaimPolicies), v0.12, save what needs to know
the claims that exist in the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import LABEL_LENGTH, dns_1123_subdomain
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import PVC_NAME_TOO_LONG, VOLUME_CLAIM_INVALID
from kubectl_trainjob.model.source import Pointer

Jobs = list[Mapping[str, Any]]
_POD_SPEC: Pointer = ("template", "spec", "template", "spec")


def claim_problems(jobset: str, policies: list[Mapping[str, Any]], jobs: Jobs) -> Iterator[Problem]:
    """Each claim template has a name of its own that fits, a container that mounts it and no rival volume."""
    first: dict[str, Pointer] = {}
    for policy_index, policy in enumerate(policies):
        for index, template in enumerate(policy["templates"]):
            place: Pointer = ("spec", "volumeClaimPolicies", policy_index, "templates", index)
            name = template.get("metadata", {}).get("name", "")
            yield from _claim_name(jobset, name, (*place, "metadata", "name"), first)
            yield from _mounts(name, (*place, "metadata", "name"), jobs)


def _claim_name(jobset: str, name: str, place: Pointer, first: dict[str, Pointer]) -> Iterator[Problem]:
    if name in first:
        message = f"claim {quoted(name)} is defined twice; use another name"
        yield Problem(VOLUME_CLAIM_INVALID, place, message, related=(("first one", first[name]),))
    first.setdefault(name, place)
    if not name:
        yield Problem(VOLUME_CLAIM_INVALID, place, "the claim template has no name; add metadata.name")
    elif fault := dns_1123_subdomain(name):
        yield Problem(VOLUME_CLAIM_INVALID, place, f"claim {quoted(name)} {fault}")
    claim = f"{name}-{jobset}"
    if len(claim.encode()) > LABEL_LENGTH:
        message = (
            f"claim name {quoted(claim)} has {len(claim)} characters; at most {LABEL_LENGTH} fit, shorten one part"
        )
        yield Problem(PVC_NAME_TOO_LONG, place, message)


def _mounts(name: str, place: Pointer, jobs: Jobs) -> Iterator[Problem]:
    mounted = False
    for index, job in enumerate(jobs):
        pod = job["template"]["spec"]["template"]["spec"]
        for volume_index, volume in enumerate(pod.get("volumes", ())):
            if volume["name"] == name:
                message = f"volume {quoted(name)} has the name of a claim template; rename one of them"
                at: Pointer = ("spec", "replicatedJobs", index, *_POD_SPEC, "volumes", volume_index, "name")
                yield Problem(VOLUME_CLAIM_INVALID, at, message, related=(("the claim template", place),))
        mounted = mounted or _mounts_volume(pod, name)
    if not mounted:
        message = f"no container mounts the claim {quoted(name)}; add a volumeMount or remove the claim"
        yield Problem(VOLUME_CLAIM_INVALID, place, message)


def _mounts_volume(pod: Mapping[str, Any], name: str) -> bool:
    containers = [*pod.get("initContainers", ()), *pod.get("containers", ())]
    return any(mount["name"] == name for container in containers for mount in container.get("volumeMounts", ()))
