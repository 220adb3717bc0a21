"""What TrainJobs request: Pods, processes and resources; and where they queue.

The number of Pods is what a queue has to reserve. All replicatedJobs count, initializers and launchers too, as if they
ran at the same time: Kueue reserves for all of them, and Trainer's PodGroup counts them all. Other than in that
PodGroup, replicas count, and so do limits without requests. The requests of suspended jobs count as well. Devices that
Pods claim (resourceClaims) are not resources and do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.facts.pod_requests import is_gpu, requests_of
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.facts.resources import add_to
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL, VOLCANO_API_VERSION, VOLCANO_QUEUE_ANNOTATION
from kubectl_trainjob.kube.launch.launchers import launch_of
from kubectl_trainjob.kube.launch.replicated_jobs import replicated_jobs
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, identity_of
from kubectl_trainjob.review.diff.changes import ComparedJob, Group, Totals

NOTHING = Totals(resources={})
_VOLCANO_DEFAULT = "default"


def totals_of(job: ComparedJob) -> Totals:
    """What one TrainJob requests; one that cannot be built counts only as a job.

    A resource without requests is not among the resources, nor is one with an amount that no cluster can have.
    """
    pods, resources = 0, dict[str, Quantity]()
    for replicated in replicated_jobs(job.objects[0]) if job.objects else ():
        count = replicated.pods
        if count:
            pods += count
            add_to(resources, requests_of(replicated.pod, count))
    size = world_size(job)
    return Totals(1, pods, max(size or 0, 0), resources, int(bool(job.objects) and size is None))


def total(every: Iterable[Totals]) -> Totals:
    """What all request together."""
    return reduce(add, every, NOTHING)


def add(one: Totals, other: Totals) -> Totals:
    """What both request together."""
    resources = dict(one.resources or {})
    add_to(resources, other.resources or {})
    pods, processes = one.pods + other.pods, one.processes + other.processes
    return Totals(one.jobs + other.jobs, pods, processes, resources, one.unsized + other.unsized)


def world_size(job: ComparedJob) -> int | None:
    """The number of processes; None if it is unknown before they start, or the job cannot be built."""
    if not job.objects or job.runtime is None:
        return None
    size = launch_of(job.runtime.body.get("spec") or {}, job.objects).total
    return size.value if size else None


def gpus(totals: Totals) -> Mapping[str, Quantity]:
    """The requested GPUs, TPUs and other devices, sorted by the names of their resources."""
    return {name: quantity for name, quantity in sorted((totals.resources or {}).items()) if is_gpu(name)}


def group_of(job: ComparedJob) -> Group:
    """The namespace of a TrainJob, and the first queue that is set.

    Kueue reads the label of the TrainJob or, without one, of the JobSet (kueue `pkg/controller/jobframework`). Volcano
    reads the PodGroup's `spec.queue`, which is "default" by default. Without a PodGroup it reads an annotation of the
    Pods (volcano.sh/apis `scheduling/v1beta1`, QueueNameAnnotationKey).
    """
    return Group(job.manifest.id.namespace, next(filter(None, _queues(job)), ""))


def _queues(job: ComparedJob) -> Iterator[str]:
    jobsets = [body for body in job.objects if role_of(identity_of(body)) is KindRole.JOB_SET]
    for body in (job.manifest.body, *jobsets):
        yield _text(body, "metadata", "labels", KUEUE_QUEUE_LABEL)
    for body in job.objects:
        if body.get("apiVersion") == VOLCANO_API_VERSION:
            yield _text(body, "spec", "queue") or _VOLCANO_DEFAULT
    for body in jobsets:
        for position in range(len(value_at(body, jobset.REPLICATED_JOBS) or ())):
            template = value_at(body, jobset.pod_template(position)) or {}
            yield _text(template, "metadata", "annotations", VOLCANO_QUEUE_ANNOTATION)


def _text(body: Body, *pointer: str) -> str:
    value = value_at(body, pointer)
    return value if isinstance(value, str) else ""
