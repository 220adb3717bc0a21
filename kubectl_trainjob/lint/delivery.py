"""What a GitOps tool applies for a job, and its annotations for Argo CD and Flux."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.gitops import ARGOCD, FLUX, uses_plugin
from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.lint.check import At
from kubectl_trainjob.lint.views import LintContext, LintedJob
from kubectl_trainjob.model.source import Pointer, mapping_at, value_at
from kubectl_trainjob.model.stages import Body, Manifest

ANNOTATIONS = ("metadata", "annotations")
HOOKS = (f"{ARGOCD}/hook", "helm.sh/hook")


class DeliveredObject(NamedTuple):
    """The JobSet, or the TrainJob with `emit: trainjob`. `at` finds the place of one of its values."""

    body: Body
    at: Callable[[Pointer], At]

    @property
    def annotations(self) -> Mapping[str, Any]:
        """Its annotations."""
        return annotations_of(self.body)


def delivered(job: LintedJob) -> DeliveredObject:
    """What is applied for a job."""
    if job.context.emit == "trainjob":
        return as_written(job.resolved.job.manifest)
    return DeliveredObject(job.jobset, job.generated)


def as_written(manifest: Manifest) -> DeliveredObject:
    """An object that is applied unchanged."""
    return DeliveredObject(manifest.body, lambda pointer: manifest.place(*pointer))


def template_of(runtime: Manifest) -> DeliveredObject:
    """The JobSet of a runtime, without what TrainJobs change."""
    template = value_at(runtime.body, ("spec", "template"))
    return DeliveredObject(template or {}, lambda pointer: runtime.place("spec", "template", *pointer))


def annotations_of(body: Body) -> Mapping[str, Any]:
    """The annotations of an object, as written."""
    return mapping_at(body, *ANNOTATIONS)


def applications(context: LintContext) -> Iterator[tuple[Manifest, Pointer]]:
    """The Applications that the plugin of this tool renders, each with the place of its spec."""
    for manifest in context.objects:
        if group_of(manifest.id.api_version) == "argoproj.io":
            spec: Pointer = ("spec", "template", "spec") if manifest.id.kind == "ApplicationSet" else ("spec",)
            if uses_plugin(value_at(manifest.body, spec)):
                yield manifest, spec


def kustomizations(context: LintContext) -> Iterator[Manifest]:
    """The Kustomizations of Flux."""
    return (each for each in context.objects if group_of(each.id.api_version) == FLUX)
