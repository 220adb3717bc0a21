"""JobSet's admission of an expanded JobSet.

Mirrors the API server with the CRD of JobSet 0.12 and sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go
(ValidateCreate, validateVolumeClaimPolicies, v0.12), feature gates at their defaults, except for what depends on the
claims that exist in the cluster. Everything happens on a copy; pointers are those of the
JobSet as given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.admission.jobset_policies import coordinator_problems, failure_problems, target_problems
from kubectl_trainjob.kube.admission.metadata import metadata_problems
from kubectl_trainjob.kube.facts.jobset import API_VERSION, KIND, pod_spec
from kubectl_trainjob.kube.facts.validation import (
    LABEL_LENGTH,
    dns_1035_label,
    dns_1123_subdomain,
    domain_prefixed_path,
)
from kubectl_trainjob.kube.schemas.formats import INT32
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.kube.schemas.walk import Memo
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import (
    DEPENDS_ON_INVALID,
    GENERATED_NAME_TOO_LONG,
    INVALID_MANAGED_BY,
    INVALID_TYPE_OR_ENUM,
    MISSING_FIELD,
    NAME_INVALID,
    PVC_NAME_TOO_LONG,
    SUBDOMAIN_OR_GROUP_INVALID,
    VOLUME_CLAIM_INVALID,
)
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

_SCHEMAS = "jobset-0.12"
_LONGEST_MANAGER = 63
_SUFFIX = "-abcde"
Jobs = list[Mapping[str, Any]]
_POD_SPEC: Pointer = ("template", "spec", "template", "spec")
_SOURCES = ("dataSource", "dataSourceRef")


def findings(jobset: Body, memo: Memo | None = None) -> list[Problem]:
    """Why JobSet's admission refuses a JobSet, with pointers into it; empty when it does not.

    `memo` knows parts that were judged before (see `learn`).
    """
    schema = schema_for(_SCHEMAS, str(jobset["apiVersion"]), str(jobset["kind"]))
    checked = schema.check(webhook_defaults(jobset), memo)
    problems = list(checked.problems)
    if checked.well_formed:
        problems += metadata_problems(checked.value["metadata"], any_subdomain=False)
        problems += _create_problems(checked.value)
    return problems


def unreadable(jobset: Body) -> list[Problem]:
    """What is wrong with a JobSet as written, if any value is not of its type; else nothing."""
    checked = schema_for(_SCHEMAS, API_VERSION, KIND).check(jobset)
    return [] if checked.is_readable else list(checked.problems)


def learn(spec: Body, memo: Memo) -> None:
    """Remember the parts of a runtime's JobSet spec that pass, before its jobs' JobSets are judged with `memo`."""
    schema = schema_for(_SCHEMAS, API_VERSION, KIND)
    memo.learning = True
    schema.check({"apiVersion": API_VERSION, "kind": KIND, "metadata": {}, "spec": spec}, memo)
    memo.learning = False


def _create_problems(jobset: Mapping[str, Any]) -> Iterator[Problem]:
    name, spec = jobset["metadata"].get("name", ""), jobset["spec"]
    jobs = spec.get("replicatedJobs", [])
    yield from _subdomain_problems(spec["network"])
    yield from _manager(spec)
    yield from _dependencies(jobs)
    yield from _products(jobs)
    yield from _group_problems(jobs)
    yield from _name_problems(name, jobs)
    yield from target_problems(spec, jobs)
    yield from failure_problems(spec.get("failurePolicy"), jobs)
    if spec.get("coordinator") is not None:
        yield from coordinator_problems(name, spec, jobs)
    yield from _claim_problems(name, spec.get("volumeClaimPolicies", []), jobs)
    yield from _null_problems(spec)


def _manager(spec: Mapping[str, Any]) -> Iterator[Problem]:
    manager = spec.get("managedBy")
    if manager is None:
        return
    fault = domain_prefixed_path(manager)
    if not fault and len(manager) > _LONGEST_MANAGER:
        fault = f"must be no more than {_LONGEST_MANAGER} characters"
    if fault:
        yield Problem(INVALID_MANAGED_BY, ("spec", "managedBy"), f"managedBy {quoted(manager)} {fault}")


def _dependencies(jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    known: list[str] = []
    for index, job in enumerate(jobs):
        place = ("spec", "replicatedJobs", index, "dependsOn")
        if index == 0 and job.get("dependsOn") is not None:
            message = (
                f"replicatedJob {quoted(job['name'])} is the first and cannot depend on others; put them before it"
            )
            yield Problem(DEPENDS_ON_INVALID, place, message, "key")
        known.append(job["name"])
        for dependency in job.get("dependsOn", ()) if index else ():
            if dependency["name"] not in known:
                yield Problem(DEPENDS_ON_INVALID, place, _dependency_message(job, dependency["name"], jobs), "key")


def _dependency_message(job: Mapping[str, Any], target: str, jobs: list[Mapping[str, Any]]) -> str:
    start = f"replicatedJob {quoted(job['name'])} cannot depend on {quoted(target)}"
    if any(other["name"] == target for other in jobs):
        return f"{start}, which stands later in the list; put {quoted(target)} first"
    return f"{start}, which does not exist; there are {', '.join(quoted(other['name']) for other in jobs)}"


def _products(jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    for index, job in enumerate(jobs):
        parallelism = job["template"].get("spec", {}).get("parallelism", 1)
        if parallelism * job["replicas"] > INT32[1]:
            message = (
                f"replicas {job['replicas']} times parallelism {parallelism} exceeds {INT32[1]}; lower one of them"
            )
            yield Problem(
                INVALID_TYPE_OR_ENUM, ("spec", "replicatedJobs", index, "template", "spec", "parallelism"), message
            )


def _subdomain_problems(network: Mapping[str, Any]) -> Iterator[Problem]:
    """A subdomain is the name of a Service, too."""
    subdomain = network.get("subdomain")
    if not subdomain:
        return
    if fault := dns_1123_subdomain(subdomain) or dns_1035_label(subdomain):
        message = f"subdomain {quoted(subdomain)} {fault}"
        yield Problem(SUBDOMAIN_OR_GROUP_INVALID, ("spec", "network", "subdomain"), message)


def _group_problems(jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """Group names go into labels and host names."""
    for index, job in enumerate(jobs):
        if fault := dns_1035_label(job["groupName"]):
            message = f"groupName {quoted(job['groupName'])} {fault}"
            yield Problem(SUBDOMAIN_OR_GROUP_INVALID, ("spec", "replicatedJobs", index, "groupName"), message)


def _name_problems(jobset: str, jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
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


def _claim_problems(jobset: str, policies: list[Mapping[str, Any]], jobs: Jobs) -> Iterator[Problem]:
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


def _null_problems(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """A projected volume without sources, a volume claim's data source without apiGroup.

    The mutating webhook decodes a JobSet and writes it again (encoding/json of k8s.io/api/core/v1 v0.36). These are the
    fields without `omitempty` that the CRD neither requires nor lets be null.
    """
    for index, job in enumerate(spec.get("replicatedJobs") or ()):
        for number, volume in enumerate(job["template"]["spec"]["template"]["spec"].get("volumes") or ()):
            place = (*pod_spec(index), "volumes", number)
            if "projected" in volume and not volume["projected"].get("sources"):
                yield _problem((*place, "projected"), "projected", "sources")
            claim = (volume.get("ephemeral") or {}).get("volumeClaimTemplate") or {}
            yield from _claim(claim, (*place, "ephemeral", "volumeClaimTemplate"))
    for index, policy in enumerate(spec.get("volumeClaimPolicies") or ()):
        for number, template in enumerate(policy.get("templates") or ()):
            yield from _claim(template, ("spec", "volumeClaimPolicies", index, "templates", number))


def _claim(claim: Mapping[str, Any], place: Pointer) -> Iterator[Problem]:
    for field in _SOURCES:
        source = (claim.get("spec") or {}).get(field)
        if source is not None and source.get("apiGroup") is None:
            yield _problem((*place, "spec", field), field, "apiGroup")


def _problem(pointer: Pointer, owner: str, field: str) -> Problem:
    message = f"{owner} has no {field}, so JobSet's webhook writes null there and the API server refuses it; add it"
    return Problem(MISSING_FIELD, pointer, message, "key")
