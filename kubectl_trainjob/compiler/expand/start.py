"""From a TrainJob and its runtime to the first `Plan`: overrides and resources merged, labels gathered, Pods counted.

Mirrors trainer `pkg/runtime/core/trainingruntime.go` newRuntimeInfo.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.behaviour import Behaviour
from kubectl_trainjob.compiler.expand.counted import Counted
from kubectl_trainjob.compiler.expand.plan import JOB, JOB_SET, RUNTIME, TRAINER, Plan, PodSet, ancestor_of
from kubectl_trainjob.compiler.expand.runtime_template import RuntimeTemplate
from kubectl_trainjob.compiler.expand.training_nodes import is_trainer
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, job_template
from kubectl_trainjob.model.draft import Cause, Draft, copied
from kubectl_trainjob.model.stages import Resolved

_COMMAND: tuple[Cause, ...] = ((*TRAINER, "command"),)


def start(resolved: Resolved, template: RuntimeTemplate, behaviour: Behaviour, *, record: bool) -> Plan:
    """The plan before any plugin ran.

    Raises MergeError.
    """
    inputs = {JOB: resolved.job.manifest.source, RUNTIME: resolved.runtime.manifest.source, JOB_SET: None}
    overrides = behaviour.overrides
    jobset = Draft({}, inputs if record else None).step("runtime")
    jobset = jobset.put(("spec",), template.spec, copied=(RUNTIME, "spec", "template", "spec"))
    for cause, metadata in overrides.metadata(resolved):
        jobset = _metadata(jobset.step("runtime" if cause[0] == RUNTIME else "trainJob"), cause, metadata)
    jobset = overrides.merge(jobset.step(overrides.field), resolved, template.settled)
    jobset = behaviour.resources_per_node.at_start(jobset.step("resourcesPerNode"), resolved)
    trainer = resolved.job.body["spec"].get("trainer") or {}
    return Plan(
        resolved,
        jobset,
        _pod_sets(jobset, resolved),
        Counted(trainer.get("command"), _COMMAND),
        trainer.get("args"),
    )


def _metadata(jobset: Draft, cause: Cause, metadata: Mapping[str, Any]) -> Draft:
    """Labels and annotations of the JobSet, over those that it has."""
    return jobset.put_each(
        [
            copied(("metadata", field, key), value, (*cause, field, key))
            for field in ("labels", "annotations")
            for key, value in (metadata.get(field) or {}).items()
        ]
    )


def _pod_sets(jobset: Draft, resolved: Resolved) -> tuple[PodSet, ...]:
    policy = resolved.runtime.body["spec"].get("mlPolicy")
    return tuple(_pod_set(jobset, index, job, policy) for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ()))


def _pod_set(jobset: Draft, index: int, job: Mapping[str, Any], policy: Mapping[str, Any] | None) -> PodSet:
    ancestor = ancestor_of(jobset, index)
    if is_trainer(ancestor) and policy is not None:
        cause: Cause = (RUNTIME, "spec", "mlPolicy", "numNodes")
        count = policy.get("numNodes", 1)
    else:
        count = jobset.get(*job_template(index), "spec", "parallelism")
        count = 1 if count is None else count
        cause = (RUNTIME, "spec", "template", *job_template(index), "spec", "parallelism")
    return PodSet(index, job["name"], ancestor, max(count, 1), (cause,))
