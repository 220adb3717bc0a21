"""Admission of an expanded JobSet.

Mirrors the API server with the CRD of JobSet 0.12 and sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go
(ValidateCreate, v0.12), feature gates at their defaults. Everything happens on a copy; pointers lead into the JobSet as
given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.admission.jobset_claims import claim_problems, null_problems
from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.admission.jobset_policies import coordinator_problems, failure_problems, success_problems
from kubectl_trainjob.kube.admission.metadata import NAME, metadata_problems
from kubectl_trainjob.kube.facts.jobset import API_VERSION, KIND, REPLICATED_JOBS
from kubectl_trainjob.kube.facts.validation import (
    LABEL_LENGTH,
    dns_1035_label,
    dns_1123_subdomain,
    domain_prefixed_path,
)
from kubectl_trainjob.kube.schemas.load import Schema, schema_for
from kubectl_trainjob.kube.schemas.scalars import INT32
from kubectl_trainjob.kube.schemas.walk import PartCache, SchemaResult
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

JOBSET_SCHEMAS = "jobset-0.12"
_LONGEST_MANAGER = 63
_POD_SUFFIX = "-abcde"  # of the length that Jobs add


def jobset_problems(jobset: Body, cache: PartCache | None = None, schemas: str = JOBSET_SCHEMAS) -> list[Problem]:
    """Why the API server or JobSet's webhook rejects a JobSet; empty if they accept it.

    `cache` has parts that were accepted before (see `prime_cache`).
    """
    return admit_jobset(webhook_defaults(jobset), schemas, cache)[1]


def admit_jobset(jobset: Body, schemas: str, cache: PartCache | None = None) -> tuple[SchemaResult, list[Problem]]:
    """What follows the mutating webhook: the JobSet with the CRD's defaults, and why it is rejected."""
    checked = jobset_schema(schemas).check(jobset, cache)
    problems = list(checked.problems)
    if checked.is_well_formed:
        problems += metadata_problems(checked.value["metadata"], any_subdomain=False)
        problems += _webhook_problems(checked.value)
    return checked, problems


def jobset_schema(schemas: str) -> Schema:
    """The schema of a JobSet."""
    return schema_for(schemas, API_VERSION, KIND)


def prime_cache(spec: Body, cache: PartCache, schemas: str = JOBSET_SCHEMAS) -> None:
    """Add the accepted parts of a runtime's JobSet spec, which the JobSets of its TrainJobs share."""
    cache.is_growing = True
    jobset = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {}, "spec": spec}
    jobset_schema(schemas).check(jobset, cache)
    cache.is_growing = False


def _webhook_problems(jobset: Body) -> Iterator[Problem]:
    name, spec = jobset["metadata"].get("name", ""), jobset["spec"]
    jobs = spec.get("replicatedJobs", [])
    yield from _subdomain(spec["network"].get("subdomain"))
    yield from _manager(spec.get("managedBy"))
    yield from _dependencies(jobs)
    yield from _pod_counts(jobs)
    yield from _group_names(jobs)
    yield from _generated_names(name, jobs)
    yield from _name_characters(name, jobs)
    yield from success_problems(spec["successPolicy"], jobs)
    yield from failure_problems(spec.get("failurePolicy"), jobs)
    yield from coordinator_problems(name, spec, jobs)
    yield from claim_problems(name, spec.get("volumeClaimPolicies", []), jobs)
    yield from null_problems(spec)


def _subdomain(subdomain: str | None) -> Iterator[Problem]:
    """It is the name of a Service, too."""
    if subdomain and (error := dns_1123_subdomain(subdomain) or dns_1035_label(subdomain)):
        message = say('subdomain "{}" {}', subdomain, error)
        yield Problem(rules.SUBDOMAIN_OR_GROUP_INVALID, ("spec", "network", "subdomain"), message)


def _manager(manager: str | None) -> Iterator[Problem]:
    if manager is None:
        return
    error = domain_prefixed_path(manager)
    if not error and len(manager) > _LONGEST_MANAGER:
        error = say("must be no more than {} characters", _LONGEST_MANAGER)
    if error:
        yield Problem(rules.INVALID_MANAGED_BY, ("spec", "managedBy"), say('managedBy "{}" {}', manager, error))


def _dependencies(jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """A replicatedJob depends on earlier ones."""
    names = [job["name"] for job in jobs]
    first = {name: index for index, name in reversed([*enumerate(names)])}
    for index, job in enumerate(jobs):
        place = (*REPLICATED_JOBS, index, "dependsOn")
        if index == 0 and job.get("dependsOn") is not None:
            message = say('replicatedJob "{}" is the first and cannot depend on others; put them before it', names[0])
            yield Problem(rules.DEPENDS_ON_INVALID, place, message, "key")
        for target in (each["name"] for each in job.get("dependsOn", ()) if index):
            if first.get(target, len(jobs)) <= index:
                continue
            error = (
                say('which is later in the list; put "{}" first', target)
                if target in first
                else say("which does not exist; the JobSet has {}", listed(names))
            )
            message = say('replicatedJob "{}" cannot depend on "{}", {}', names[index], target, error)
            yield Problem(rules.DEPENDS_ON_INVALID, place, message, "key")


def _pod_counts(jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    for index, job in enumerate(jobs):
        parallelism = job["template"].get("spec", {}).get("parallelism", 1)
        if parallelism * job["replicas"] > INT32[1]:
            place = (*REPLICATED_JOBS, index, "template", "spec", "parallelism")
            message = say(
                "replicas {} times parallelism {} exceeds {}; lower one of them", job["replicas"], parallelism, INT32[1]
            )
            yield Problem(rules.INVALID_TYPE_OR_ENUM, place, message)


def _group_names(jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """They are parts of labels and host names."""
    for index, job in enumerate(jobs):
        if error := dns_1035_label(job["groupName"]):
            message = say('groupName "{}" {}', job["groupName"], error)
            yield Problem(rules.SUBDOMAIN_OR_GROUP_INVALID, (*REPLICATED_JOBS, index, "groupName"), message)


def _generated_names(jobset: str, jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """The names of Jobs and Pods fit a label; only the longest one is reported."""
    longest = max((name for job in jobs for name in _longest_names(jobset, job)), key=len, default="")
    if len(longest) <= LABEL_LENGTH:
        return
    room = LABEL_LENGTH - (len(longest) - len(jobset))
    message = say(
        'name "{}" ({} characters) makes the generated name "{}" longer than {} characters; {}',
        jobset,
        len(jobset),
        longest,
        LABEL_LENGTH,
        say("use at most {} characters", room) if room > 0 else say("shorten the names of the replicatedJobs"),
    )
    yield Problem(rules.GENERATED_NAME_TOO_LONG, NAME, message)


def _longest_names(jobset: str, job: Mapping[str, Any]) -> Iterator[str]:
    name = f"{jobset}-{job['name']}-{job['replicas'] - 1}"
    yield name
    spec = job["template"]["spec"]
    if spec["completionMode"] == "Indexed" and spec.get("completions") is not None:
        yield f"{name}-{spec['completions'] - 1}{_POD_SUFFIX}"


def _name_characters(jobset: str, jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """The characters of generated names of any length; an invalid JobSet name makes all of them invalid."""
    if error := dns_1035_label(jobset[:LABEL_LENGTH].rstrip("-")):
        yield Problem(rules.NAME_INVALID, NAME, say('name "{}" {}', jobset, error))
        return
    for index, job in enumerate(jobs):
        place: Pointer = (*REPLICATED_JOBS, index, "name")
        in_the_middle = f"a{job['name'][: LABEL_LENGTH - 2]}0"  # between a valid name and an index
        if dns_1035_label(in_the_middle):
            message = say("name \"{}\" must consist of lower case letters, digits and '-'", job["name"])
            yield Problem(rules.NAME_INVALID, place, message)
