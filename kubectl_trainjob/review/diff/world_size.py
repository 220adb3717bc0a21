"""How many processes a TrainJob starts, from plain bodies: what `environment` tells, without a recorded expansion.

A record is needed only to say why there are so many; the number stands in the objects that a build prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.explain.environment.launch import launch_of
from kubectl_trainjob.explain.environment.names import pods_of
from kubectl_trainjob.explain.environment.values import Container, Role, Variable
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_LABEL
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Admitted, Manifest, Resolved, Traced, TracedJob, identity_of
from kubectl_trainjob.review.diff.changes import Compiled

_KINDS = ("initContainers", "containers")


def world_size(job: Compiled) -> int | None:
    """The number of processes in all; None where it is not known before they start, or the job is not built."""
    if not job.objects or job.runtime is None:
        return None
    resolved = Resolved(_as_written(job.manifest), _as_written(job.runtime))
    objects = tuple(Traced(identity_of(body), Draft(body)) for body in job.objects)
    traced = TracedJob(Traced(job.manifest.id, Draft(job.manifest.body)), resolved, objects)
    world = launch_of(traced, _roles(objects[0].draft)).world
    return world.value if world else None


def _as_written(manifest: Manifest) -> Admitted:
    """The object without the schema's defaults: which launcher a runtime has does not depend on them."""
    return Admitted(manifest, {**manifest.body, "spec": manifest.body.get("spec") or {}})


def _roles(jobset: Draft) -> tuple[Role, ...]:
    return tuple(
        _role(jobset, position, job["template"]) for position, job in enumerate(jobset.get(*REPLICATED_JOBS) or ())
    )


def _role(jobset: Draft, position: int, template: Mapping[str, Any]) -> Role:
    labels = (template.get("metadata") or {}).get("labels") or {}
    pods = pods_of(jobset, position)
    containers = tuple(_containers(pod_spec(position), jobset.get(*pod_spec(position)) or {}))
    return Role(position, pods.job, labels.get(ANCESTOR_LABEL), pods, containers)


def _containers(pointer: Pointer, spec: Mapping[str, Any]) -> Iterator[Container]:
    for kind in _KINDS:
        for index, body in enumerate(spec.get(kind) or ()):
            variables = tuple(Variable(entry, "") for entry in body.get("env") or ())
            yield Container((*pointer, kind, index), body, variables)
