"""Trainer's validating webhooks, for runtimes and for TrainJobs without their runtimes (the rest is in the passes).

Mirrors kubeflow/trainer pkg/webhooks/{trainingruntime,clustertrainingruntime,trainjob}_webhook.go (2.0 to 2.3), and the
object selector of manifests/base/webhook/patch_validating.yaml (2.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.admission.metadata import NAME
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.validation import dns_1035_label
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import ANCESTOR_CONTAINER_MISSING, ANCESTOR_REPLICAS, NAME_INVALID, RUNTIME_DEPRECATED
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import Body

_VALIDATION_LABEL = "trainer.kubeflow.org/webhook-validation"
_CONTAINERS = {trainer.ANCESTOR_TRAINER: trainer.NODE, **{name: name for name in trainer.INITIALIZERS.values()}}
"""The container in which a step of the TrainJob runs, by the value of the ancestor label."""

_REPLICATED_JOBS: Pointer = ("spec", "template", "spec", "replicatedJobs")


def runtime_problems(runtime: Body) -> Iterator[Problem]:
    """The webhook's problems of a runtime with defaults; since 2.3, a label turns the webhook off."""
    if runtime.get("metadata", {}).get("labels", {}).get(_VALIDATION_LABEL) != "disabled":
        yield from runtime_problems_in_2_1(runtime)


def runtime_problems_in_2_1(runtime: Body) -> Iterator[Problem]:
    """The webhook's problems of a runtime with defaults, of any labels (2.1, 2.2)."""
    if runtime.get("metadata", {}).get("labels", {}).get(trainer.SUPPORT_LABEL) == "deprecated":
        message = say("the runtime is deprecated and will be removed; move its TrainJobs to another runtime")
        yield Problem(RUNTIME_DEPRECATED, ("metadata", "labels", trainer.SUPPORT_LABEL), message)
    for job, place in _replicated_jobs(runtime):
        step = _step(job)
        if step in _CONTAINERS:
            yield from _replicas(job, place)
            yield from _container(job, step, place)


def runtime_problems_in_2_0(runtime: Body) -> Iterator[Problem]:
    """The launcher runs once, too; containers may have any name, and no runtime is deprecated."""
    for job, place in _replicated_jobs(runtime):
        if _step(job) in _CONTAINERS or job["name"] == trainer.LAUNCHER:
            yield from _replicas(job, place)


def _replicated_jobs(runtime: Body) -> Iterator[tuple[Mapping[str, Any], Pointer]]:
    template = runtime.get("spec", {}).get("template", {})
    for index, job in enumerate(template.get("spec", {}).get("replicatedJobs", ())):
        yield job, (*_REPLICATED_JOBS, index)


def _step(job: Mapping[str, Any]) -> str:
    step: str = job["template"].get("metadata", {}).get("labels", {}).get(trainer.ANCESTOR_LABEL, "")
    return step


def _replicas(job: Mapping[str, Any], place: Pointer) -> Iterator[Problem]:
    step, replicas = _step(job), job["replicas"]
    if replicas != 1:
        owner = say("the {} step", step) if step in _CONTAINERS else say("the launcher")
        message = say("replicas of {} must be 1, not {}; set the number of nodes with numNodes", owner, replicas)
        yield Problem(ANCESTOR_REPLICAS, (*place, "replicas"), message, fix=_one_replica)


def _one_replica(place: Place) -> Fix:
    return Fix(say("set replicas to 1"), (Edit(place, "1"),))


def _container(job: Mapping[str, Any], step: str, place: Pointer) -> Iterator[Problem]:
    below: Pointer = ("template", "spec", "template", "spec", "containers")
    containers = job["template"].get("spec", {}).get("template", {}).get("spec", {}).get("containers", ())
    names = [container["name"] for container in containers]
    if _CONTAINERS[step] not in names:
        message = say(
            'the {} step needs a container named "{}" (found {}); rename its container',
            step,
            _CONTAINERS[step],
            listed(names) or say("none"),
        )
        first: Pointer = (*below, 0, "name") if containers else below
        yield Problem(ANCESTOR_CONTAINER_MISSING, (*place, *first), message)


def train_job_problems_in_2_0(job: Body) -> Iterator[Problem]:
    """The name is an RFC 1035 label."""
    name = job.get("metadata", {}).get("name")
    if name and (error := dns_1035_label(name)):
        yield Problem(NAME_INVALID, NAME, say('name "{}" {}', name, error))
