"""The replicatedJobs of a JobSet with their containers, and who wrote each variable.

Kubernetes' Job controller adds one variable to every container and init container of an Indexed Job: mirrors
addCompletionIndexEnvVariables in k8s.io/kubernetes `pkg/controller/job/indexed_job_utils.go` (1.36). What the kubelet
adds when it starts a container (HOSTNAME, the addresses of Services) and what admission of Pods may add is not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.api.jobset import REPLICATED_JOBS, job_template, pod_spec
from kubectl_trainjob.api.trainer import ANCESTOR_LABEL
from kubectl_trainjob.draft import Draft
from kubectl_trainjob.environment.names import pods_of
from kubectl_trainjob.environment.values import (
    JOB_CONTROLLER,
    RUNTIME,
    TRAIN_JOB,
    Container,
    Imported,
    Replaced,
    Role,
    Variable,
)
from kubectl_trainjob.source import Origin, Place, Pointer
from kubectl_trainjob.stages import Resolved, TracedJob

COMPLETION_INDEX = "JOB_COMPLETION_INDEX"
_FROM_LABEL = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}
_INDEX = Variable({"name": COMPLETION_INDEX, "valueFrom": _FROM_LABEL}, JOB_CONTROLLER)


def roles_of(job: TracedJob) -> tuple[Role, ...]:
    """Every replicatedJob in the JobSet's order; nothing is said of processes yet. The job is not refused."""
    jobset = job.objects[0].draft
    return tuple(_role(job, jobset, index) for index in range(len(jobset.get(*REPLICATED_JOBS) or ())))


def _role(job: TracedJob, jobset: Draft, position: int) -> Role:
    labels = jobset.get(*job_template(position), "metadata", "labels") or {}
    pods = pods_of(jobset, position)
    containers = [
        _container(job, jobset, (*pod_spec(position), kind, index), is_indexed=pods.is_indexed)
        for kind in ("initContainers", "containers")
        for index in range(len(jobset.get(*pod_spec(position), kind) or ()))
    ]
    return Role(position, pods.job, labels.get(ANCESTOR_LABEL), pods, tuple(containers))


def _container(job: TracedJob, jobset: Draft, pointer: Pointer, *, is_indexed: bool) -> Container:
    body = jobset.get(*pointer)
    variables = tuple(_variables(job, jobset, (*pointer, "env")))
    if is_indexed and all(each.name != COMPLETION_INDEX for each in variables):
        variables += (_INDEX,)
    imported = [
        Imported(entry, *_written(job, jobset, (*pointer, "envFrom", index)))
        for index, entry in enumerate(body.get("envFrom") or ())
    ]
    return Container(pointer, body, variables, tuple(imported))


def _variables(job: TracedJob, jobset: Draft, pointer: Pointer) -> Iterator[Variable]:
    for index, entry in enumerate(jobset.get(*pointer) or ()):
        origin = jobset.origin((*pointer, index))
        causes = origin.causes if origin else ()
        by, place = _written(job, jobset, (*pointer, index))
        yield Variable(entry, by, place, causes, _replaced(origin, entry) if origin else None)


def _written(job: TracedJob, jobset: Draft, pointer: Pointer) -> tuple[str, Place | None]:
    """Who wrote the list's item at `pointer`, and the line to edit; of a merged item its value counts."""
    entry = jobset.get(*pointer)
    value = next((key for key in ("value", "valueFrom") if key in entry), None)
    origin = jobset.origin((*pointer, value) if value else pointer)
    if origin is None:
        return "", None
    if origin.place is not None:
        return _input(origin.place, job.resolved) or origin.step, origin.place
    return origin.step, origin.causes[0] if origin.causes else None


def _input(place: Place, resolved: Resolved | None) -> str:
    if resolved is not None and place.source == resolved.job.manifest.source:
        return TRAIN_JOB
    return RUNTIME if resolved is not None and place.source == resolved.runtime.manifest.source else ""


def _replaced(origin: Origin, entry: Any) -> Replaced | None:
    """The user's entry that a plugin wrote over; a user's own entry may replace the runtime's."""
    if origin.place is not None:
        return None
    before = origin.over
    while before is not None and before.place is None:
        before = before.over
    if before is None or before.place is None or not isinstance(before.value, dict) or before.value == entry:
        return None
    return Replaced(before.value, before.place)
