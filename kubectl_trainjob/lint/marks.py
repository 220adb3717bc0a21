"""The Pod templates of the inputs, and the labels and annotations that name the PodGroup of Pods.

Mirrors GetPodGroupLabel in scheduler-plugins `pkg/util` and KubeGroupNameAnnotationKey in volcano.sh/apis
`scheduling/v1beta1`. The types in these objects are unchecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_template
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.lint.views import LintContext
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.source import Pointer, list_at, mapping_at, value_at
from kubectl_trainjob.model.stages import Body, Manifest


class Mark(NamedTuple):
    """A label or an annotation of Pods whose value is a PodGroup's name."""

    kind: Message
    key: str

    @property
    def field(self) -> str:
        """The field of the metadata with these marks."""
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
    trainer.COSCHEDULING_API_VERSION: Mark(say("label"), trainer.COSCHEDULING_LABEL),
    trainer.VOLCANO_API_VERSION: Mark(say("annotation"), trainer.VOLCANO_GROUP_ANNOTATION),
}
"""By the apiVersion of the PodGroup."""


_POD_TEMPLATES: Mapping[tuple[str, str], tuple[Pointer, ...]] = {
    ("batch/v1", "Job"): (("spec", "template"),),
    ("v1", "Pod"): ((),),
}


class Template(NamedTuple):
    """A Pod template: its place in its owner and its metadata."""

    pointer: Pointer
    metadata: Mapping[str, Any]


class Workload(NamedTuple):
    """An object that creates Pods. `owner` has their templates: the object itself, or the runtime of a TrainJob.

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


def workloads(context: LintContext, mark: Mark) -> Iterator[Workload]:
    """Every Pod, Job and JobSet of the inputs, and the TrainJobs whose Pods Trainer does not mark."""
    for manifest in context.objects:
        is_jobset = role_of(manifest.id) is KindRole.JOB_SET
        kind = manifest.id.api_version, manifest.id.kind
        pointers = pod_templates(manifest.body) if is_jobset else _POD_TEMPLATES.get(kind, ())
        yield from _workload(manifest, manifest, pointers, mark)
    for job in context.train_jobs:
        runtime = _unmarked_runtime(context, job)
        if runtime is not None:
            yield from _workload(job, runtime, pod_templates(runtime.body, ("spec", "template")), mark)


def pod_templates(body: Body, jobset: Pointer = ()) -> Iterator[Pointer]:
    """The Pod templates of the object, or of the JobSet inside it; types are unchecked."""
    for index, _ in enumerate(list_at(body, *jobset, *REPLICATED_JOBS)):
        yield (*jobset, *pod_template(index))


def _workload(manifest: Manifest, owner: Manifest, pointers: Iterable[Pointer], mark: Mark) -> Iterator[Workload]:
    templates = tuple(Template(pointer, mapping_at(owner.body, *pointer, "metadata")) for pointer in pointers)
    if templates:
        names = (mark.of(template.metadata) for template in templates)
        yield Workload(manifest, owner, templates, frozenset(name for name in names if name is not None))


def _unmarked_runtime(context: LintContext, job: Manifest) -> Manifest | None:
    """The runtime with the TrainJob's Pod templates; None if a policy or the TrainJob writes into them."""
    spec = job.body.get("spec")
    if any(value_at(spec, (field,)) for field in trainer.OVERRIDES):
        return None
    runtime = context.runtime_of(job)
    has_policy = runtime is not None and value_at(runtime.body, ("spec", "podGroupPolicy"))
    return None if has_policy else runtime
