"""Restarts and the run policy of a job, as fields of Jobs, the JobSet and the TrainJob."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.frontends.legacy.notes import MigrationNote, ask, note
from kubectl_trainjob.frontends.legacy.operators import MPI, TENSORFLOW, V2BETA1, JobRole, LegacyJob
from kubectl_trainjob.model.message import say

NEVER, ON_FAILURE, ALWAYS, EXIT_CODE = "Never", "OnFailure", "Always", "ExitCode"
_PERMANENT = range(1, 128)


def restart_policy(role: JobRole) -> str:
    """The restartPolicy of a role's Pods; a Job knows two of them."""
    return NEVER if role.restart in (NEVER, EXIT_CODE) else ON_FAILURE


def job_settings(job: LegacyJob, role: JobRole, main: str) -> dict[str, Any]:
    """backoffLimit and podFailurePolicy of a role's Jobs; `main` is the name of the container that trains.

    With Never, the operators fail the job with its first Pod. With ExitCode, they start a Pod again after exit codes
    from 128 (kubeflow/training-operator `pkg/util/train/train_util.go`).
    """
    limit = job.run_policy.get("backoffLimit")
    written = {"backoffLimit": limit} if limit is not None else {}
    if _has_own_job(job, role):
        return written
    if role.restart == NEVER:
        return {"backoffLimit": 0}
    if role.restart == EXIT_CODE:
        codes = {"containerName": main, "operator": "In", "values": [*_PERMANENT]}
        return {**written, "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": codes}]}}
    return written if job.operator.kind != MPI or role.key == "Launcher" else {}


def _has_own_job(job: LegacyJob, role: JobRole) -> bool:
    """The launcher of the MPI operator is a Job with the limits of the run policy."""
    return job.operator.api_version == V2BETA1 and role.key == "Launcher"


def jobset_settings(job: LegacyJob) -> dict[str, Any]:
    """The fields of the JobSet."""
    ttl = job.run_policy.get("ttlSecondsAfterFinished")
    return {} if ttl is None else {"ttlSecondsAfterFinished": ttl}


def train_job_settings(job: LegacyJob) -> dict[str, Any]:
    """The fields of the TrainJob."""
    policy = job.run_policy
    found: dict[str, Any] = {}
    if policy.get("suspend"):
        found["suspend"] = True
    if policy.get("managedBy", "").startswith("kueue.x-k8s.io/"):
        found["managedBy"] = policy["managedBy"]
    if policy.get("activeDeadlineSeconds") is not None:
        found["activeDeadlineSeconds"] = policy["activeDeadlineSeconds"]
    return found


def lifecycle_notes(job: LegacyJob) -> Iterator[MigrationNote]:
    """What the settings above cannot say."""
    policy = job.run_policy
    yield from _clean_notes(job)
    for role in job.roles:
        yield from _restart_notes(job, role)
    if job.spec.get("successPolicy") == "AllWorkers" and {"Chief", "Master"} & {role.key for role in job.roles}:
        yield note(say("successPolicy AllWorkers has no effect beside a Chief or Master"), "spec", "successPolicy")
    if {"Master", "Worker"} <= {role.key for role in job.roles} and job.operator.kind != TENSORFLOW:
        message = say("the operator ends the job when the Master succeeds, and a TrainJob when all Pods do")
        yield note(message, "spec", job.operator.field, "Master")
    if "ttlSecondsAfterFinished" in policy:
        message = say("ttlSecondsAfterFinished removes the JobSet only; the TrainJob remains")
        yield note(message, "spec", "runPolicy", "ttlSecondsAfterFinished")


def _clean_notes(job: LegacyJob) -> Iterator[MigrationNote]:
    """MPIJobs of v1 have a cleanPodPolicy outside of runPolicy, too, which that in runPolicy overrides."""
    own, policy = job.spec.get("cleanPodPolicy"), job.run_policy.get("cleanPodPolicy")
    for value, at in (
        (policy, ("runPolicy", "cleanPodPolicy")),
        (own if policy is None else None, ("cleanPodPolicy",)),
    ):
        if value not in (None, "None", "Running"):
            message = say(
                "cleanPodPolicy {}: a JobSet keeps finished Pods; set ttlSecondsAfterFinished to remove them", value
            )
            yield ask(message, "spec", *at)


def _restart_notes(job: LegacyJob, role: JobRole) -> Iterator[MigrationNote]:
    where = ("spec", job.operator.field, role.key, "restartPolicy")
    if role.restart == ALWAYS:
        yield ask(say("restartPolicy Always of {}: a Job does not start a Pod again after success", role.key), *where)
    elif role.restart not in (NEVER, ON_FAILURE, EXIT_CODE):
        message = say('restartPolicy "{}" of {} is not valid; the result has OnFailure', role.restart, role.key)
        yield ask(message, *where)
    if role.restart == NEVER and job.run_policy.get("backoffLimit") and not _has_own_job(job, role):
        message = say("backoffLimit has no effect on {}, whose restartPolicy is Never", role.key)
        yield note(message, "spec", "runPolicy", "backoffLimit")
