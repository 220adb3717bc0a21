"""runtimePatches: strategic merges into the runtime's JobSet.

Mirrors mergeRuntimePatches and the labels of newRuntimeInfo in trainer `pkg/runtime/core/trainingruntime.go` (2.2 and
2.3).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.behaviour import Metadata
from kubectl_trainjob.compiler.expand.plan import JOB, RUNTIME_METADATA
from kubectl_trainjob.compiler.expand.strategic_merge import merge
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, SPEC_TYPE, job_template
from kubectl_trainjob.kube.facts.trainer import RUNTIME_PATCHES
from kubectl_trainjob.kube.facts.types import canonical, marshalled
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.stages import Resolved

_SPEC_PATCH = "trainer/v1alpha1.JobSetSpecPatch"
_JOB_PATCH = "trainer/v1alpha1.JobTemplatePatch"
_JOB_TEMPLATE = "batch/v1.JobTemplateSpec"


def of_runtime_and_patches(resolved: Resolved) -> Iterator[Metadata]:
    """Metadata of the JobSet: the runtime template's, then each patch's on top."""
    template = resolved.runtime.body["spec"].get("template") or {}
    yield RUNTIME_METADATA, template.get("metadata") or {}
    for cause, patch in _templates(resolved):
        yield (*cause, "metadata"), patch.get("metadata") or {}


def merge_spec(jobset: Draft, resolved: Resolved, settled: Container[int]) -> Draft:
    """Merge each patch into the whole JobSet spec (2.3), where a patch may bring a replicatedJob of its own."""
    templates = list(_templates(resolved))
    if not templates:
        return jobset
    order = {job["name"]: index for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ())}
    for cause, patch in templates:
        if patch.get("spec") is not None:
            spec = marshalled(patch["spec"], _SPEC_PATCH)
            jobset = merge(jobset, ("spec",), spec, SPEC_TYPE, (*cause, "spec"))
            jobset = jobset.reshape(("spec",), canonical(jobset.get("spec"), SPEC_TYPE, settled))
    return _restore_order(jobset, order)


def merge_job_templates(jobset: Draft, resolved: Resolved, settled: Container[int]) -> Draft:
    """Merge the Job templates of each patch into those of the runtime (2.2); names that it lacks are passed over."""
    for cause, patch in _templates(resolved):
        for index, job in enumerate((patch.get("spec") or {}).get("replicatedJobs") or ()):
            where = (*cause, "spec", "replicatedJobs", index, "template")
            jobset = _merge_job_template(jobset, job, where, settled)
    return jobset


def _merge_job_template(jobset: Draft, patch: Mapping[str, Any], cause: Cause, settled: Container[int]) -> Draft:
    if patch.get("template") is None:
        return jobset
    template = marshalled(patch["template"], _JOB_PATCH)
    for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ()):
        if job["name"] == patch["name"]:
            pointer = job_template(index)
            jobset = merge(jobset, pointer, template, _JOB_TEMPLATE, cause)
            jobset = jobset.reshape(pointer, canonical(jobset.get(*pointer), _JOB_TEMPLATE, settled))
    return jobset


def _templates(resolved: Resolved) -> Iterator[tuple[Cause, Mapping[str, Any]]]:
    """Where the JobSet template of each patch stands, and the template."""
    for index, patch in enumerate(resolved.job.body["spec"].get(RUNTIME_PATCHES) or ()):
        template = (patch.get("trainingRuntimeSpec") or {}).get("template") or {}
        yield (JOB, "spec", RUNTIME_PATCHES, index, "trainingRuntimeSpec", "template"), template


def _restore_order(jobset: Draft, order: Mapping[str, int]) -> Draft:
    """Put replicatedJobs back into the runtime's order; one that a patch added counts as the first there."""
    jobs = jobset.get(*REPLICATED_JOBS) or ()
    wanted = sorted(range(len(jobs)), key=lambda index: order.get(jobs[index]["name"], 0))
    return jobset if wanted == list(range(len(jobs))) else jobset.arrange(REPLICATED_JOBS, wanted)
