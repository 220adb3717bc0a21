"""One job of an operator to a runtime and a TrainJob, with findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.admission import check
from kubectl_trainjob.frontends.legacy.job import JobRole, LegacyJob, read_job
from kubectl_trainjob.frontends.legacy.lifecycle import lifecycle_notes
from kubectl_trainjob.frontends.legacy.mpi import mpi_shape
from kubectl_trainjob.frontends.legacy.names import left_labels
from kubectl_trainjob.frontends.legacy.notes import MigrationNote, ask
from kubectl_trainjob.frontends.legacy.operators import MPI, PADDLE, TENSORFLOW, operator_of, versions_of
from kubectl_trainjob.frontends.legacy.shapes import JobShape, shape_of
from kubectl_trainjob.frontends.legacy.variables import HELPERS
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.rules import LEGACY_JOB_REJECTED
from kubectl_trainjob.model.stages import Manifest

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


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
        message = say('no operator reads {} of "{}"; write {}', manifest.id.kind, manifest.id.api_version, versions)
        return ConvertedJob(
            manifest, None, None, (Diagnostic(LEGACY_JOB_REJECTED, message, manifest.place("apiVersion")),)
        )
    checked, findings = check(manifest, operator)
    if has_errors(findings):
        return ConvertedJob(manifest, None, None, tuple(findings))
    job = read_job(Manifest(manifest.id, checked.value, manifest.source), operator)
    blocking = [*_blocking(job)]
    shape = None if blocking else _shape(job)
    notes = [*blocking, *lifecycle_notes(job), *_policies(job), *(shape.notes if shape else ())]
    notes += [*_labels(shape)] if shape else []
    findings += [each.at(manifest) for each in notes]
    if shape is None:
        return ConvertedJob(manifest, None, None, tuple(findings))
    return ConvertedJob(manifest, shape.runtime, _train_job(job, shape), tuple(findings))


def _shape(job: LegacyJob) -> JobShape:
    return mpi_shape(job) if job.operator.kind == MPI else shape_of(job)


def _blocking(job: LegacyJob) -> Iterator[MigrationNote]:
    """Why a job stays as it is."""
    if not job.name:
        message = say(
            "generateName gives a new name each time, and the addresses of the Pods need the name; write name"
        )
        yield ask(message, "metadata", "generateName")
    for role in job.roles:
        yield from _taken(job, role)
        names = [container.get("name") for container in role.pod["containers"]]
        if trainer.NODE in names and names.index(trainer.NODE) != job.main(role):
            at = ("spec", job.operator.field, role.key, "template", "spec", "containers", names.index(trainer.NODE))
            yield ask(say('the name "node" is that of the training container in Trainer; rename this one'), *at)


def _taken(job: LegacyJob, role: JobRole) -> Iterator[MigrationNote]:
    """Variables of the user with the names of those that addresses refer to."""
    helpers = {MPI: (), TENSORFLOW: HELPERS}.get(job.operator.kind, HELPERS[:1])
    for index, container in enumerate(role.pod["containers"]):
        for number, entry in enumerate(container.get("env") or ()):
            if entry["name"] in helpers:
                at = ("spec", job.operator.field, role.key, "template", "spec", "containers", index, "env", number)
                message = say('addresses of the TrainJob need the name of the variable "{}"; rename it', entry["name"])
                yield ask(message, *at, "name")


def _policies(job: LegacyJob) -> Iterator[MigrationNote]:
    """What has no equal."""
    policy = job.spec.get("elasticPolicy")
    if policy is None:
        return
    at = ("spec", "elasticPolicy")
    if job.operator.kind == PADDLE:
        yield ask(say("elasticPolicy of a PaddleJob has no effect: the operator ignores it, and it is dropped"), *at)
    elif policy.get("metrics"):
        message = say("metrics: the operator scales the job with an HPA, and nothing scales a TrainJob")
        yield ask(message, *at, "metrics")
    elif policy.get("minReplicas") != policy.get("maxReplicas"):
        yield _elastic_note(job)


def _elastic_note(job: LegacyJob) -> MigrationNote:
    from kubectl_trainjob.frontends.legacy.notes import note

    message = say(
        "elasticPolicy: the job has {} nodes, as the operator creates, and accepts from minReplicas to maxReplicas",
        job.pods,
    )
    return note(message, "spec", "elasticPolicy")


def _labels(shape: JobShape) -> Iterator[MigrationNote]:
    for label in dict.fromkeys(left_labels(shape.runtime)):
        yield ask(
            say('a selector uses the label "{}", which the new Pods do not have; select by another', label), "spec"
        )


def _train_job(job: LegacyJob, shape: JobShape) -> dict[str, Any]:
    old = job.manifest.body["metadata"]
    metadata = {key: old[key] for key in ("name", "namespace") if old.get(key)}
    annotations = {key: value for key, value in (old.get("annotations") or {}).items() if key != _LAST_APPLIED}
    more = {"labels": old.get("labels"), "annotations": annotations}
    metadata |= {key: value for key, value in more.items() if value}
    return {
        "apiVersion": trainer.API_VERSION,
        "kind": trainer.TRAIN_JOB,
        "metadata": metadata,
        "spec": shape.job,
    }
