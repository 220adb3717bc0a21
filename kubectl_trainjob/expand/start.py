"""From a TrainJob and its runtime to the first `Plan`: patches merged, labels gathered, resources merged, pods counted.

Mirrors trainer `pkg/runtime/core/trainingruntime.go` newRuntimeInfo and mergeRuntimePatches (2.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.api.jobset import REPLICATED_JOBS, SPEC_TYPE, job_template, pod_spec
from kubectl_trainjob.api.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.api.types import canonical, marshalled
from kubectl_trainjob.draft import Cause, Draft
from kubectl_trainjob.expand.plan import RUNTIME, TRAIN_JOB, TRAINER, Plan, PodSet, ancestor_of
from kubectl_trainjob.expand.strategic_merge import merge
from kubectl_trainjob.source import Pointer
from kubectl_trainjob.stages import Body, Resolved

PATCH_TYPE = "trainer/v1alpha1.JobSetSpecPatch"


def start(resolved: Resolved, template: Body, *, record: bool) -> Plan:
    """The plan before any plugin ran; `template` is the runtime's JobSet spec in canonical form, shared by its jobs."""
    inputs = {TRAIN_JOB: resolved.job.manifest.source, RUNTIME: resolved.runtime.manifest.source}
    jobset = Draft({}, inputs if record else None).step("runtime")
    jobset = jobset.put(("spec",), template, copied=(RUNTIME, "spec", "template", "spec"))
    jobset = _metadata(jobset, resolved)
    jobset = _merge_patches(jobset.step("runtimePatches"), _patches(resolved))
    jobset = _merge_resources(jobset.step("resourcesPerNode"), resolved)
    trainer = resolved.job.body["spec"].get("trainer") or {}
    return Plan(resolved, jobset, _pod_sets(jobset, resolved), trainer.get("command"), trainer.get("args"))


def _patches(resolved: Resolved) -> list[Mapping[str, Any]]:
    patches: list[Mapping[str, Any]] = resolved.job.body["spec"].get("runtimePatches") or []
    return patches


def _patch_template(patch: Mapping[str, Any]) -> Mapping[str, Any]:
    template: Mapping[str, Any] = (patch.get("trainingRuntimeSpec") or {}).get("template") or {}
    return template


def _patch_cause(index: int, *pointer: str | int) -> Cause:
    return (TRAIN_JOB, "spec", "runtimePatches", index, "trainingRuntimeSpec", "template", *pointer)


def _metadata(jobset: Draft, resolved: Resolved) -> Draft:
    """Labels and annotations of the JobSet: the runtime template's, then each patch's on top."""
    template = resolved.runtime.body["spec"].get("template") or {}
    sources: list[tuple[Cause, Any]] = [((RUNTIME, "spec", "template", "metadata"), template.get("metadata"))]
    sources += [
        (_patch_cause(index, "metadata"), _patch_template(patch).get("metadata"))
        for index, patch in enumerate(_patches(resolved))
    ]
    for cause, metadata in sources:
        for field in ("labels", "annotations"):
            for key, value in ((metadata or {}).get(field) or {}).items():
                jobset = jobset.put(("metadata", field, key), value, copied=(*cause, field, key))
    return jobset


def _merge_patches(jobset: Draft, patches: list[Mapping[str, Any]]) -> Draft:
    if not patches:
        return jobset
    order = {job["name"]: index for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ())}
    for index, patch in enumerate(patches):
        spec = _patch_template(patch).get("spec")
        if spec is not None:
            jobset = merge(jobset, ("spec",), marshalled(spec, PATCH_TYPE), SPEC_TYPE, _patch_cause(index, "spec"))
            jobset = jobset.reshape(("spec",), canonical(jobset.get("spec"), SPEC_TYPE))
    return _restore_order(jobset, order)


def _restore_order(jobset: Draft, order: Mapping[str, int]) -> Draft:
    """Put replicatedJobs back into the runtime's order; one that a patch added counts as the first there."""
    jobs = jobset.get(*REPLICATED_JOBS) or ()
    wanted = sorted(range(len(jobs)), key=lambda index: order.get(jobs[index]["name"], 0))
    return jobset if wanted == list(range(len(jobs))) else jobset.arrange(REPLICATED_JOBS, wanted)


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
    for field in ("limits", "requests"):
        for name, quantity in (wanted.get(field) or {}).items():
            cause = (*TRAINER, "resourcesPerNode", field, name)
            jobset = jobset.put((*resources, field, name), quantity, copied=cause)
    return jobset


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
