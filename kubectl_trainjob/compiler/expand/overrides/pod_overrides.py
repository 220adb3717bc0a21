"""podTemplateOverrides and podSpecOverrides: strategic merges into the Pods of the replicatedJobs that they name.

Mirrors mergePodTemplateOverrides (2.1), mergePodSpecOverrides (2.0) and the labels of newRuntimeInfo in trainer
`pkg/runtime/core/trainingruntime.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.behaviour import Metadata
from kubectl_trainjob.compiler.expand.plan import JOB, RUNTIME_METADATA
from kubectl_trainjob.compiler.expand.strategic_merge import merge
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec, pod_template
from kubectl_trainjob.kube.facts.trainer import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES
from kubectl_trainjob.kube.facts.types import canonical, marshalled
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Resolved

_TEMPLATE_PATCH = "trainer-2.1/v1alpha1.PodTemplateSpecOverride"
_SPEC_PATCH = "trainer-2.0/v1alpha1.PodSpecOverride"
_POD_TEMPLATE = "core/v1.PodTemplateSpec"
_POD_SPEC = "core/v1.PodSpec"


def of_runtime_and_job(resolved: Resolved) -> Iterator[Metadata]:
    """Metadata of the JobSet: the runtime template's, then `spec.labels` and `spec.annotations` of the TrainJob."""
    template = resolved.runtime.body["spec"].get("template") or {}
    yield RUNTIME_METADATA, template.get("metadata") or {}
    yield (JOB, "spec"), resolved.job.body["spec"]


def merge_pod_templates(jobset: Draft, resolved: Resolved, _settled: Container[int]) -> Draft:
    """Merge labels, annotations and spec of each override into the Pod templates (2.1)."""
    return _merge(jobset, resolved, POD_TEMPLATE_OVERRIDES, _template_patch, pod_template, _POD_TEMPLATE)


def merge_pod_specs(jobset: Draft, resolved: Resolved, _settled: Container[int]) -> Draft:
    """Merge each override into the Pod specs (2.0)."""
    return _merge(jobset, resolved, POD_SPEC_OVERRIDES, _spec_patch, pod_spec, _POD_SPEC)


def _template_patch(override: Mapping[str, Any]) -> dict[str, Any]:
    given = override.get("metadata") or {}
    patch: dict[str, Any] = {"metadata": {key: given[key] for key in ("labels", "annotations") if key in given}}
    if override.get("spec") is not None:
        patch["spec"] = marshalled(override["spec"], _TEMPLATE_PATCH)
    return patch if patch["metadata"] else {key: value for key, value in patch.items() if key != "metadata"}


def _spec_patch(override: Mapping[str, Any]) -> dict[str, Any]:
    # Upstream merges targetJobs too, and loses it when the result is decoded.
    return {key: value for key, value in marshalled(override, _SPEC_PATCH).items() if key != "targetJobs"}


def _merge(
    jobset: Draft,
    resolved: Resolved,
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
