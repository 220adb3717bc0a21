"""The validating webhook of runtimes.

Mirrors kubeflow/trainer pkg/webhooks/trainingruntime_webhook.go and clustertrainingruntime_webhook.go (2.0 to 2.3), and
the object selector of manifests/base/webhook/patch_validating.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.trainer import (
    ANCESTOR_LABEL,
    ANCESTOR_TRAINER,
    INITIALIZERS,
    LAUNCHER,
    NODE,
    SUPPORT_LABEL,
)
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import ANCESTOR_CONTAINER_MISSING, ANCESTOR_REPLICAS, RUNTIME_DEPRECATED
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import Body

VALIDATION_LABEL = "trainer.kubeflow.org/webhook-validation"
CONTAINERS = {ANCESTOR_TRAINER: NODE, **{name: name for name in INITIALIZERS.values()}}
"""The container that a step of the TrainJob runs in, by the value of the ancestor label."""

_REPLICATED_JOBS: Pointer = ("spec", "template", "spec", "replicatedJobs")


def runtime_problems(runtime: Body) -> Iterator[Problem]:
    """What the webhook says of a runtime that carries its defaults; silent where a label switches it off (2.1-2.3)."""
    if runtime.get("metadata", {}).get("labels", {}).get(SUPPORT_LABEL) == "deprecated":
        message = "the runtime is deprecated and will be removed; move its TrainJobs to another runtime"
        yield Problem(RUNTIME_DEPRECATED, ("metadata", "labels", SUPPORT_LABEL), message)
    for job, place in _replicated_jobs(runtime):
        step = _step(job)
        if step in CONTAINERS:
            yield from _replicas(job, f"the {step} step", place)
            yield from _container(job, step, place)


def launchers_and_steps(runtime: Body) -> Iterator[Problem]:
    """The same of 2.0: the launcher too runs once, containers may have any name, and nothing is deprecated yet."""
    for job, place in _replicated_jobs(runtime):
        step = _step(job)
        if step in CONTAINERS or job["name"] == LAUNCHER:
            yield from _replicas(job, f"the {step} step" if step in CONTAINERS else "the launcher", place)


def _replicated_jobs(runtime: Body) -> Iterator[tuple[Mapping[str, Any], Pointer]]:
    if runtime.get("metadata", {}).get("labels", {}).get(VALIDATION_LABEL) == "disabled":
        return
    template = runtime.get("spec", {}).get("template", {})
    for index, job in enumerate(template.get("spec", {}).get("replicatedJobs", ())):
        yield job, (*_REPLICATED_JOBS, index)


def _step(job: Mapping[str, Any]) -> str:
    step: str = job["template"].get("metadata", {}).get("labels", {}).get(ANCESTOR_LABEL, "")
    return step


def _replicas(job: Mapping[str, Any], who: str, place: Pointer) -> Iterator[Problem]:
    if job["replicas"] != 1:
        message = f"replicas of {who} must be 1, not {job['replicas']}; set the number of nodes with numNodes"
        yield Problem(ANCESTOR_REPLICAS, (*place, "replicas"), message, fix=_one_replica)


def _one_replica(place: Place) -> Fix:
    return Fix("set replicas to 1", (Edit(place, "1"),))


def _container(job: Mapping[str, Any], step: str, place: Pointer) -> Iterator[Problem]:
    below: Pointer = ("template", "spec", "template", "spec", "containers")
    containers = job["template"].get("spec", {}).get("template", {}).get("spec", {}).get("containers", ())
    if all(container["name"] != CONTAINERS[step] for container in containers):
        names = ", ".join(quoted(container["name"]) for container in containers) or "none"
        message = (
            f"the {step} step needs a container named {quoted(CONTAINERS[step])} (found {names}); rename its container"
        )
        first: Pointer = (*below, 0, "name") if containers else below
        yield Problem(ANCESTOR_CONTAINER_MISSING, (*place, *first), message)
