"""From a TrainJob and its runtime to the first `Plan`: overrides and resources merged, labels gathered, Pods counted.

Mirrors trainer `pkg/runtime/core/trainingruntime.go` newRuntimeInfo.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.api.jobset import REPLICATED_JOBS, job_template, pod_spec
from kubectl_trainjob.api.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.api.types import canonical
from kubectl_trainjob.draft import Cause, Draft
from kubectl_trainjob.expand.behaviour import Behaviour
from kubectl_trainjob.expand.plan import JOB_SET, RUNTIME, TRAIN_JOB, TRAINER, Plan, PodSet, ancestor_of
from kubectl_trainjob.expand.template import Template
from kubectl_trainjob.source import Pointer
from kubectl_trainjob.stages import Resolved

_COMMAND: tuple[Cause, ...] = ((*TRAINER, "command"),)


def start(resolved: Resolved, template: Template, behaviour: Behaviour, *, record: bool) -> Plan:
    """The plan before any plugin ran.

    Raises MergeError.
    """
    inputs = {TRAIN_JOB: resolved.job.manifest.source, RUNTIME: resolved.runtime.manifest.source, JOB_SET: None}
    overrides = behaviour.overrides
    jobset = Draft({}, inputs if record else None).step("runtime")
    jobset = jobset.put(("spec",), template.spec, copied=(RUNTIME, "spec", "template", "spec"))
    for cause, metadata in overrides.metadata(resolved):
        jobset = _metadata(jobset.step("runtime" if cause[0] == RUNTIME else "trainJob"), cause, metadata)
    jobset = overrides.merge(jobset.step(overrides.field), resolved, template.settled)
    if behaviour.resources_per_node == "merged":
        jobset = _merge_resources(jobset.step("resourcesPerNode"), resolved)
    trainer = resolved.job.body["spec"].get("trainer") or {}
    return Plan(
        resolved,
        jobset,
        _pod_sets(jobset, resolved),
        trainer.get("command"),
        trainer.get("args"),
        command_from=_COMMAND,
    )


def _metadata(jobset: Draft, cause: Cause, metadata: Mapping[str, Any]) -> Draft:
    """Labels and annotations of the JobSet, over those that it has."""
    return jobset.put_each(
        [
            (("metadata", field, key), value, (*cause, field, key), ())
            for field in ("labels", "annotations")
            for key, value in (metadata.get(field) or {}).items()
        ]
    )


def _merge_resources(jobset: Draft, resolved: Resolved) -> Draft:
    """The TrainJob's resourcesPerNode on the trainer's `node` containers, key by key."""
    override = (resolved.job.body["spec"].get("trainer") or {}).get("resourcesPerNode")
    policy = resolved.runtime.body["spec"].get("mlPolicy")
    if override is None or policy is None:
        return jobset
    launcher_as_node = (policy.get("mpi") or {}).get("runLauncherAsNode", False)
    for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ()):
        if ancestor_of(jobset, index) == ANCESTOR_TRAINER or (launcher_as_node and job["name"] == NODE):
            jobset = _merge_node_resources(jobset, pod_spec(index), override)
    return jobset


def _merge_node_resources(jobset: Draft, spec: Pointer, override: Mapping[str, Any]) -> Draft:
    containers = jobset.get(*spec, "containers") or ()
    index = next((i for i, container in enumerate(containers) if container.get("name") == NODE), None)
    if index is None:
        return jobset
    resources = (*spec, "containers", index, "resources")
    # Trainer rebuilds the field from limits and requests alone: claims do not survive.
    jobset = jobset.drop((*resources, "claims"))
    wanted = canonical(override, "core/v1.ResourceRequirements")
    return jobset.put_each(
        [
            ((*resources, field, name), quantity, (*TRAINER, "resourcesPerNode", field, name), ())
            for field in ("limits", "requests")
            for name, quantity in (wanted.get(field) or {}).items()
        ]
    )


def _pod_sets(jobset: Draft, resolved: Resolved) -> tuple[PodSet, ...]:
    policy = resolved.runtime.body["spec"].get("mlPolicy")
    return tuple(_pod_set(jobset, index, job, policy) for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ()))


def _pod_set(jobset: Draft, index: int, job: Mapping[str, Any], policy: Mapping[str, Any] | None) -> PodSet:
    ancestor = ancestor_of(jobset, index)
    if ancestor == ANCESTOR_TRAINER and policy is not None:
        cause: Cause = (RUNTIME, "spec", "mlPolicy", "numNodes")
        count = policy.get("numNodes", 1)
    else:
        count = jobset.get(*job_template(index), "spec", "parallelism")
        count = 1 if count is None else count
        cause = (RUNTIME, "spec", "template", *job_template(index), "spec", "parallelism")
    return PodSet(index, job["name"], ancestor, max(count, 1), (cause,))
