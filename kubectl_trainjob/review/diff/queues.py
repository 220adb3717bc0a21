"""Where TrainJobs queue.

Kueue reads the label of the TrainJob or, where that has none, of the JobSet (kueue `pkg/controller/jobframework`);
Volcano reads the PodGroup's `spec.queue`, which is "default" by default, or, where no PodGroup is made, an annotation
of the Pods (volcano.sh/apis `scheduling/v1beta1`, QueueNameAnnotationKey).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL, VOLCANO_API_VERSION, VOLCANO_QUEUE_ANNOTATION
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.review.diff.changes import Compiled, Group

_VOLCANO_DEFAULT = "default"


def group_of(job: Compiled) -> Group:
    """The namespace and the queue of a TrainJob: the first that is named."""
    return Group(job.manifest.id.namespace, next((name for name in _queues(job) if name), ""))


def _queues(job: Compiled) -> Iterator[str]:
    jobsets = [body for body in job.objects if body.get("kind") == jobset.KIND]
    for body in (job.manifest.body, *jobsets):
        yield _text(body, "metadata", "labels", KUEUE_QUEUE_LABEL)
    for body in job.objects:
        if body.get("apiVersion") == VOLCANO_API_VERSION:
            yield _text(body, "spec", "queue") or _VOLCANO_DEFAULT
    for template in (template for body in jobsets for template in _templates(body)):
        yield _text(template, "metadata", "annotations", VOLCANO_QUEUE_ANNOTATION)


def _templates(body: Body) -> Iterator[Mapping[str, Any]]:
    """The Pods' templates; Volcano asks of no other object."""
    for position in range(len(value_at(body, jobset.REPLICATED_JOBS) or ())):
        yield value_at(body, jobset.pod_template(position)) or {}


def _text(body: Body, *pointer: str) -> str:
    value = value_at(body, pointer)
    return value if isinstance(value, str) else ""
