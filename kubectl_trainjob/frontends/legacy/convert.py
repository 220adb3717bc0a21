"""One job of an operator to a runtime and a TrainJob, with findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.admission import check
from kubectl_trainjob.frontends.legacy.differences import CARRIED, LAST_APPLIED, differences
from kubectl_trainjob.frontends.legacy.lifecycle import lifecycle_notes
from kubectl_trainjob.frontends.legacy.mpi import mpi_shape
from kubectl_trainjob.frontends.legacy.notes import MigrationNote, ask
from kubectl_trainjob.frontends.legacy.operators import (
    MPI,
    TENSORFLOW,
    JobRole,
    LegacyJob,
    operator_of,
    read_job,
    role_key,
    versions_of,
)
from kubectl_trainjob.frontends.legacy.shapes import JobShape, shape_of
from kubectl_trainjob.frontends.legacy.variables import HELPERS
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.rules import LEGACY_JOB_REJECTED
from kubectl_trainjob.model.stages import Manifest

_MOST_PODS = 100_000  # MaxParallelism of an indexed Job in k8s.io/kubernetes/pkg/apis/batch/validation


class ConvertedJob(NamedTuple):
    """The spec of a job's runtime and its TrainJob without runtimeRef; None if the job stays as it is."""

    manifest: Manifest
    runtime: dict[str, Any] | None
    train_job: dict[str, Any] | None
    findings: tuple[Diagnostic, ...]


def convert(manifest: Manifest) -> ConvertedJob:
    """The conversion of an object of an operator's kind."""
    operator = operator_of(manifest.id)
    if operator is None:
        versions = listed(versions_of(manifest.id.kind), "or", "{}")
        message = say(
            'no operator reads {} of "{}"; write it for {}', manifest.id.kind, manifest.id.api_version, versions
        )
        return ConvertedJob(
            manifest, None, None, (Diagnostic(LEGACY_JOB_REJECTED, message, manifest.place("apiVersion")),)
        )
    checked, findings = check(manifest, operator)
    if has_errors(findings):
        return ConvertedJob(manifest, None, None, tuple(findings))
    job = read_job(Manifest(manifest.id, checked.value, manifest.source), operator)
    blocking = [*_blocking(job)]
    shape = None if blocking else (mpi_shape(job) if job.operator.kind == MPI else shape_of(job))
    notes = [
        *blocking,
        *lifecycle_notes(job),
        *((*shape.notes, *differences(job, shape, manifest.body)) if shape else ()),
    ]
    findings += [each.at(manifest) for each in notes]
    if shape is None:
        return ConvertedJob(manifest, None, None, tuple(findings))
    return ConvertedJob(manifest, shape.runtime, _train_job(job, shape), tuple(findings))


def _blocking(job: LegacyJob) -> Iterator[MigrationNote]:
    """Why a job stays as it is."""
    if not job.name:
        message = say(
            "generateName gives a new name each time, and the addresses of the Pods need the name; write name"
        )
        yield ask(message, "metadata", "generateName")
    if job.pods > _MOST_PODS:
        yield ask(
            say("the job has {} Pods, and a Job has at most {}", job.pods, _MOST_PODS), "spec", job.operator.field
        )
    yield from _odd_roles(job)
    for role in job.roles:
        yield from _taken_name_notes(job, role)
        names = [container.get("name") for container in role.pod["containers"]]
        if trainer.NODE in names and names.index(trainer.NODE) != job.main(role):
            at = ("spec", job.operator.field, role.key, "template", "spec", "containers", names.index(trainer.NODE))
            yield ask(say('the name "node" is that of the training container in Trainer; rename this one'), *at)


def _odd_roles(job: LegacyJob) -> Iterator[MigrationNote]:
    """Roles of a TFJob that its operator starts, and those that it takes for one."""
    seen: set[str] = set()
    for key in job.spec[job.operator.field] if job.operator.kind == TENSORFLOW else ():
        role, at = role_key(key, job.operator), ("spec", job.operator.field, key)
        if role not in job.operator.roles:
            roles = listed(job.operator.roles, "or", "{}")
            yield ask(say('"{}" is not one of the roles {}; rename it', key, roles), *at)
        elif role in seen:
            yield ask(say('the role "{}" is also written in another case; keep one', key), *at)
        seen.add(role)


def _taken_name_notes(job: LegacyJob, role: JobRole) -> Iterator[MigrationNote]:
    """Variables of the user with the names of those that addresses refer to."""
    helpers = {MPI: (), TENSORFLOW: HELPERS}.get(job.operator.kind, HELPERS[:1])
    for index, container in enumerate(role.pod["containers"]):
        for number, entry in enumerate(container.get("env") or ()):
            if entry["name"] in helpers:
                at = ("spec", job.operator.field, role.key, "template", "spec", "containers", index, "env", number)
                message = say('addresses of the TrainJob need the name of the variable "{}"; rename it', entry["name"])
                yield ask(message, *at, "name")


def _train_job(job: LegacyJob, shape: JobShape) -> dict[str, Any]:
    old = job.manifest.body["metadata"]
    annotations = {key: value for key, value in (old.get("annotations") or {}).items() if key != LAST_APPLIED}
    metadata = {key: value for key in CARRIED if (value := annotations if key == "annotations" else old.get(key))}
    return {"apiVersion": trainer.API_VERSION, "kind": trainer.TRAIN_JOB, "metadata": metadata, "spec": shape.job}
