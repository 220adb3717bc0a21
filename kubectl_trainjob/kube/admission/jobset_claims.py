"""The volume claims of a JobSet, and the fields that JobSet's webhook sets to null.

Mirrors sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go (validateVolumeClaimPolicies, v0.12), except for what depends
on the claims that exist in the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.kube.facts.validation import LABEL_LENGTH, dns_1123_subdomain
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import MISSING_FIELD, PVC_NAME_TOO_LONG, VOLUME_CLAIM_INVALID
from kubectl_trainjob.model.source import Pointer

_POLICIES: Pointer = ("spec", "volumeClaimPolicies")
_NULL = "{} has no {}: JobSet's webhook writes null there, and the API server rejects that; add it"


def claim_problems(jobset: str, policies: list[Mapping[str, Any]], jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """Each claim template has a unique name that fits, and a container mounts it; no volume has that name."""
    if not policies:
        return
    first: dict[str, Pointer] = {}
    volumes, mounted = _volumes(jobs), {name for job in jobs for name in _mounts(_pod(job))}
    for number, policy in enumerate(policies):
        for index, template in enumerate(policy["templates"]):
            place: Pointer = (*_POLICIES, number, "templates", index, "metadata", "name")
            name = template.get("metadata", {}).get("name", "")
            if name in first:
                message = say('duplicate claim "{}"; use another name', name)
                yield Problem(VOLUME_CLAIM_INVALID, place, message, related=((say("first one"), first[name]),))
            first.setdefault(name, place)
            yield from _name(jobset, name, place)
            for at in volumes.get(name, ()):
                message = say('volume "{}" has the name of a claim template; rename one of them', name)
                yield Problem(VOLUME_CLAIM_INVALID, at, message, related=((say("the claim template"), place),))
            if name not in mounted:
                message = say('no container mounts the claim "{}"; add a volumeMount or remove the claim', name)
                yield Problem(VOLUME_CLAIM_INVALID, place, message)


def _name(jobset: str, name: str, place: Pointer) -> Iterator[Problem]:
    if not name:
        yield Problem(VOLUME_CLAIM_INVALID, place, say("the claim template has no name; add metadata.name"))
    elif error := dns_1123_subdomain(name):
        yield Problem(VOLUME_CLAIM_INVALID, place, say('claim "{}" {}', name, error))
    claim = f"{name}-{jobset}"
    if len(claim.encode()) > LABEL_LENGTH:
        message = say(
            'claim name "{}" has {} characters; shorten one part, at most {} fit', claim, len(claim), LABEL_LENGTH
        )
        yield Problem(PVC_NAME_TOO_LONG, place, message)


def _volumes(jobs: list[Mapping[str, Any]]) -> dict[str, list[Pointer]]:
    """The places of the names of volumes."""
    found: dict[str, list[Pointer]] = {}
    for index, job in enumerate(jobs):
        for number, volume in enumerate(_pod(job).get("volumes", ())):
            found.setdefault(volume["name"], []).append((*pod_spec(index), "volumes", number, "name"))
    return found


def _mounts(pod: Mapping[str, Any]) -> Iterator[str]:
    """The names of the volumes that containers mount."""
    for container in (*pod.get("initContainers", ()), *pod.get("containers", ())):
        for mount in container.get("volumeMounts", ()):
            yield mount["name"]


def _pod(job: Mapping[str, Any]) -> Mapping[str, Any]:
    pod: Mapping[str, Any] = job["template"]["spec"]["template"]["spec"]
    return pod


def null_problems(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """Projected volumes without sources, and data sources of claims without apiGroup.

    The mutating webhook decodes a JobSet and writes it again (encoding/json of k8s.io/api/core/v1 v0.36). These are the
    fields without `omitempty` that the CRD neither requires nor allows to be null.
    """
    for index, job in enumerate(spec.get("replicatedJobs") or ()):
        for number, volume in enumerate(_pod(job).get("volumes") or ()):
            place = (*pod_spec(index), "volumes", number)
            if "projected" in volume and not volume["projected"].get("sources"):
                yield null_problem((*place, "projected"), "sources")
            claim = (volume.get("ephemeral") or {}).get("volumeClaimTemplate") or {}
            yield from _data_sources(claim, (*place, "ephemeral", "volumeClaimTemplate"))
    for index, policy in enumerate(spec.get("volumeClaimPolicies") or ()):
        for number, template in enumerate(policy.get("templates") or ()):
            yield from _data_sources(template, (*_POLICIES, index, "templates", number))


def _data_sources(claim: Mapping[str, Any], place: Pointer) -> Iterator[Problem]:
    for field in ("dataSource", "dataSourceRef"):
        source = (claim.get("spec") or {}).get(field)
        if source is not None and source.get("apiGroup") is None:
            yield null_problem((*place, "spec", field), "apiGroup")


def null_problem(pointer: Pointer, field: str) -> Problem:
    """The problem of a field that the webhook sets to null, in the value at `pointer`."""
    return Problem(MISSING_FIELD, pointer, say(_NULL, str(pointer[-1]), field), "key")
