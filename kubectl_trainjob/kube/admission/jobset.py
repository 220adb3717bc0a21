"""JobSet's admission of an expanded JobSet.

Mirrors the API server with the CRD of JobSet 0.12 and sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go
(ValidateCreate, v0.12), feature gates at their defaults. Everything happens on a copy; pointers are those of the
JobSet as given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.admission.jobset_claims import claim_problems
from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.admission.jobset_names import group_problems, name_problems, subdomain_problems
from kubectl_trainjob.kube.admission.jobset_nulls import null_problems
from kubectl_trainjob.kube.admission.jobset_policies import coordinator_problems, failure_problems, target_problems
from kubectl_trainjob.kube.admission.metadata import metadata_problems
from kubectl_trainjob.kube.facts.jobset import API_VERSION, KIND
from kubectl_trainjob.kube.facts.validation import domain_prefixed_path
from kubectl_trainjob.kube.schemas.formats import INT32
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.kube.schemas.walk import Memo
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import DEPENDS_ON_INVALID, INVALID_MANAGED_BY, INVALID_TYPE_OR_ENUM
from kubectl_trainjob.model.stages import Body

_SCHEMAS = "jobset-0.12"
_LONGEST_MANAGER = 63


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
    yield from subdomain_problems(spec["network"])
    yield from _manager(spec)
    yield from _dependencies(jobs)
    yield from _products(jobs)
    yield from group_problems(jobs)
    yield from name_problems(name, jobs)
    yield from target_problems(spec, jobs)
    yield from failure_problems(spec.get("failurePolicy"), jobs)
    if spec.get("coordinator") is not None:
        yield from coordinator_problems(name, spec, jobs)
    yield from claim_problems(name, spec.get("volumeClaimPolicies", []), jobs)
    yield from null_problems(spec)


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
