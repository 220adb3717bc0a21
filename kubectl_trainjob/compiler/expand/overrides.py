"""The TrainJob's fields that change the runtime's template: strategic merges into the runtime's JobSet.

Mirrors mergePodSpecOverrides (2.0), mergePodTemplateOverrides (2.1), mergeRuntimePatches (2.2, 2.3) and the labels of
newRuntimeInfo in trainer `pkg/runtime/core/trainingruntime.go`. The passes check the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.behaviour import Metadata
from kubectl_trainjob.compiler.expand.plan import JOB, RUNTIME_METADATA
from kubectl_trainjob.compiler.expand.strategic_merge import merge
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, SPEC_TYPE, job_template, pod_spec, pod_template
from kubectl_trainjob.kube.facts.trainer import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from kubectl_trainjob.kube.facts.types import canonical, marshal
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import ResolvedJob


def of_runtime_and_job(resolved: ResolvedJob) -> Iterator[Metadata]:
    """Metadata of the JobSet: the runtime template's, then `spec.labels` and `spec.annotations` of the TrainJob."""
    yield _of_runtime(resolved)
    yield (JOB, "spec"), resolved.job.body["spec"]


def of_runtime_and_patches(resolved: ResolvedJob) -> Iterator[Metadata]:
    """Metadata of the JobSet: the runtime template's, then that of each patch."""
    yield _of_runtime(resolved)
    for cause, patch in _templates(resolved):
        yield (*cause, "metadata"), patch.get("metadata") or {}


def _of_runtime(resolved: ResolvedJob) -> Metadata:
    template = resolved.runtime.body["spec"].get("template") or {}
    return RUNTIME_METADATA, template.get("metadata") or {}


def merge_pod_templates(jobset: Draft, resolved: ResolvedJob, _canonical_ids: Container[int]) -> Draft:
    """Merge labels, annotations and spec of each override into the Pod templates (2.1)."""
    return _merge(jobset, resolved, POD_TEMPLATE_OVERRIDES, _template_patch, pod_template, "core/v1.PodTemplateSpec")


def merge_pod_specs(jobset: Draft, resolved: ResolvedJob, _canonical_ids: Container[int]) -> Draft:
    """Merge each override into the Pod specs (2.0)."""
    return _merge(jobset, resolved, POD_SPEC_OVERRIDES, _spec_patch, pod_spec, "core/v1.PodSpec")


def _template_patch(override: Mapping[str, Any]) -> dict[str, Any]:
    given = override.get("metadata") or {}
    metadata = {key: given[key] for key in ("labels", "annotations") if key in given}
    patch: dict[str, Any] = {"metadata": metadata} if metadata else {}
    if override.get("spec") is not None:
        patch["spec"] = marshal(override["spec"], "trainer-2.1/v1alpha1.PodTemplateSpecOverride")
    return patch


def _spec_patch(override: Mapping[str, Any]) -> dict[str, Any]:
    # Upstream merges targetJobs too, and loses it when the result is decoded.
    patch = marshal(override, "trainer-2.0/v1alpha1.PodSpecOverride")
    return {key: value for key, value in patch.items() if key != "targetJobs"}


def _merge(
    jobset: Draft,
    resolved: ResolvedJob,
    field: str,
    patch_of: Callable[[Mapping[str, Any]], dict[str, Any]],
    place: Callable[[int], Pointer],
    type_name: str,
) -> Draft:
    for number, override in enumerate(resolved.job.body["spec"].get(field) or ()):
        targets = {target["name"] for target in override["targetJobs"]}
        patch = patch_of(override)
        for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ()):
            if job["name"] in targets:
                jobset = merge(jobset, place(index), patch, type_name, (JOB, "spec", field, number))
                jobset = jobset.reshape(place(index), canonical(jobset.get(*place(index)), type_name))
    return jobset


def merge_spec(jobset: Draft, resolved: ResolvedJob, canonical_ids: Container[int]) -> Draft:
    """Merge each patch into the whole JobSet spec (2.3), where a patch may add a replicatedJob."""
    templates = list(_templates(resolved))
    if not templates:
        return jobset
    order = {job["name"]: index for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ())}
    for cause, patch in templates:
        if patch.get("spec") is not None:
            spec = marshal(patch["spec"], "trainer/v1alpha1.JobSetSpecPatch")
            jobset = merge(jobset, ("spec",), spec, SPEC_TYPE, (*cause, "spec"))
            jobset = jobset.reshape(("spec",), canonical(jobset.get("spec"), SPEC_TYPE, canonical_ids))
    return _restore_order(jobset, order)


def merge_job_templates(jobset: Draft, resolved: ResolvedJob, canonical_ids: Container[int]) -> Draft:
    """Merge the Job templates of each patch into those of the runtime (2.2); unknown names are ignored."""
    for cause, patch in _templates(resolved):
        for index, job in enumerate((patch.get("spec") or {}).get("replicatedJobs") or ()):
            where = (*cause, "spec", "replicatedJobs", index, "template")
            jobset = _merge_job_template(jobset, job, where, canonical_ids)
    return jobset


def _merge_job_template(jobset: Draft, patch: Mapping[str, Any], cause: Cause, canonical_ids: Container[int]) -> Draft:
    if patch.get("template") is None:
        return jobset
    type_name = "batch/v1.JobTemplateSpec"
    template = marshal(patch["template"], "trainer/v1alpha1.JobTemplatePatch")
    for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ()):
        if job["name"] == patch["name"]:
            pointer = job_template(index)
            jobset = merge(jobset, pointer, template, type_name, cause)
            jobset = jobset.reshape(pointer, canonical(jobset.get(*pointer), type_name, canonical_ids))
    return jobset


def _templates(resolved: ResolvedJob) -> Iterator[tuple[Cause, Mapping[str, Any]]]:
    """The JobSet template of each patch, and where it is."""
    for index, patch in enumerate(resolved.job.body["spec"].get(RUNTIME_PATCHES) or ()):
        template = (patch.get("trainingRuntimeSpec") or {}).get("template") or {}
        yield (JOB, "spec", RUNTIME_PATCHES, index, "trainingRuntimeSpec", "template"), template


def _restore_order(jobset: Draft, order: Mapping[str, int]) -> Draft:
    """Put replicatedJobs back into the runtime's order; one that a patch added counts as the first there."""
    jobs = jobset.get(*REPLICATED_JOBS) or ()
    wanted = sorted(range(len(jobs)), key=lambda index: order.get(jobs[index]["name"], 0))
    return jobset if wanted == list(range(len(jobs))) else jobset.arrange(REPLICATED_JOBS, wanted)
