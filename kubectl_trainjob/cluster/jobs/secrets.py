"""The Secrets that the Pods of a job cannot start without."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.cluster.jobs.find import FoundJob
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body


def required_secrets(job: FoundJob) -> dict[str, Pointer]:
    """The names of those that are not optional, each with its first use in the JobSet or the Job."""
    found: dict[str, Pointer] = {}
    for pointer, spec in pod_specs(job):
        for below, name in _uses(spec):
            found.setdefault(name, (*pointer, *below))
    return found


def pod_specs(job: FoundJob) -> Iterator[tuple[Pointer, Body]]:
    """The Pod specs of the job's templates, with their pointers into the JobSet or the Job."""
    if job.jobset is not None:
        for index in range(len(value_at(job.jobset, REPLICATED_JOBS) or ())):
            yield pod_spec(index), value_at(job.jobset, pod_spec(index)) or {}
    elif job.id.kind == "Job" and job.run is not None:
        pointer: Pointer = ("spec", "template", "spec")
        yield pointer, value_at(job.run, pointer) or {}


def _uses(spec: Body) -> Iterator[tuple[Pointer, str]]:
    for pointer, reference, key in (*_in_volumes(spec), *_in_containers(spec)):
        name = (reference or {}).get(key)
        if reference and name and not reference.get("optional"):
            yield (*pointer, key), name


def _in_volumes(spec: Body) -> Iterator[tuple[Pointer, Body | None, str]]:
    for index, volume in enumerate(spec.get("volumes") or ()):
        pointer: Pointer = ("volumes", index)
        yield (*pointer, "secret"), volume.get("secret"), "secretName"
        for nth, source in enumerate(value_at(volume, ("projected", "sources")) or ()):
            yield (*pointer, "projected", "sources", nth, "secret"), source.get("secret"), "name"


def _in_containers(spec: Body) -> Iterator[tuple[Pointer, Body | None, str]]:
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(kind) or ()):
            pointer: Pointer = (kind, index)
            for nth, each in enumerate(container.get("env") or ()):
                below: Pointer = (*pointer, "env", nth, "valueFrom", "secretKeyRef")
                yield below, value_at(each, ("valueFrom", "secretKeyRef")), "name"
            for nth, each in enumerate(container.get("envFrom") or ()):
                yield (*pointer, "envFrom", nth, "secretRef"), each.get("secretRef"), "name"
