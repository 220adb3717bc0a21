"""The Pod templates among the inputs, and the marks by which Pods say which PodGroup they belong to.

Mirrors GetPodGroupLabel in scheduler-plugins `pkg/util` and KubeGroupNameAnnotationKey in volcano.sh/apis
`scheduling/v1beta1`. Nothing has looked at the types of these objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.kube.facts.trainer import (
    COSCHEDULING_API_VERSION,
    COSCHEDULING_LABEL,
    POD_SPEC_OVERRIDES,
    POD_TEMPLATE_OVERRIDES,
    RUNTIME_PATCHES,
    VOLCANO_API_VERSION,
    VOLCANO_GROUP_ANNOTATION,
)
from kubectl_trainjob.lint.views import Surroundings
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Manifest


class Mark(NamedTuple):
    """A label or an annotation of Pods whose value is a PodGroup's name."""

    kind: str
    key: str

    @property
    def field(self) -> str:
        """Where in the metadata it stands."""
        return f"{self.kind}s"

    @property
    def pointer(self) -> Pointer:
        """Its place in a Pod template."""
        return ("metadata", self.field, self.key)

    def of(self, metadata: Mapping[str, Any]) -> str | None:
        """The PodGroup that a template names."""
        value = value_at(metadata, (self.field, self.key))
        return value if isinstance(value, str) else None


MARKS = {
    COSCHEDULING_API_VERSION: Mark("label", COSCHEDULING_LABEL),
    VOLCANO_API_VERSION: Mark("annotation", VOLCANO_GROUP_ANNOTATION),
}
"""By the apiVersion of the PodGroup."""


class Template(NamedTuple):
    """A Pod template: its place in its owner and its metadata."""

    pointer: Pointer
    metadata: Mapping[str, Any]


class Workload(NamedTuple):
    """An object that makes Pods; their templates stand in `owner`, which of a TrainJob is its runtime.

    `names` are the PodGroups that the templates name.
    """

    manifest: Manifest
    owner: Manifest
    templates: tuple[Template, ...]
    names: frozenset[str]

    @property
    def namespace(self) -> str:
        """The namespace that the Pods are in."""
        return self.manifest.id.namespace or "default"


def workloads(around: Surroundings, mark: Mark) -> Iterator[Workload]:
    """Every Pod, Job and JobSet of the inputs, and the TrainJobs that Trainer does not mark the Pods of itself."""
    for manifest in around.objects:
        yield from _workload(manifest, manifest, _templates(manifest), mark)
    for job in around.train_jobs:
        runtime = _unmarked_runtime(around, job)
        if runtime is not None:
            at: Pointer = ("spec", "template")
            yield from _workload(job, runtime, _of_jobset(value_at(runtime.body, at), at), mark)


def _workload(manifest: Manifest, owner: Manifest, found: Iterator[Template], mark: Mark) -> Iterator[Workload]:
    templates = tuple(found)
    if templates:
        named = (mark.of(template.metadata) for template in templates)
        yield Workload(manifest, owner, templates, frozenset(name for name in named if name is not None))


def _templates(manifest: Manifest) -> Iterator[Template]:
    if manifest.id.kind == jobset.KIND:
        yield from _of_jobset(manifest.body, ())
    elif manifest.id.kind == "Job" and manifest.id.api_version == "batch/v1":
        yield _template(manifest.body, ("spec", "template"), ())
    elif manifest.id.kind == "Pod" and manifest.id.api_version == "v1":
        yield _template(manifest.body, (), ())


def _of_jobset(body: Any, below: Pointer) -> Iterator[Template]:
    jobs = value_at(body, jobset.REPLICATED_JOBS)
    for index in range(len(jobs) if isinstance(jobs, list) else 0):
        yield _template(body, jobset.pod_template(index), below)


def _template(body: Any, pointer: Pointer, below: Pointer) -> Template:
    metadata = value_at(body, (*pointer, "metadata"))
    return Template((*below, *pointer), metadata if isinstance(metadata, dict) else {})


def _unmarked_runtime(around: Surroundings, job: Manifest) -> Manifest | None:
    """The runtime whose Pod templates are the TrainJob's: not where a policy or the TrainJob writes into them."""
    spec = job.body.get("spec")
    if any(value_at(spec, (field,)) for field in (POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES)):
        return None
    runtime = around.runtime_of(job)
    has_policy = runtime is not None and value_at(runtime.body, ("spec", "podGroupPolicy"))
    return None if has_policy else runtime
