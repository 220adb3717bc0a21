"""What TrainJobs request: Pods, processes and resources; and where they queue.

The number of Pods is what a queue has to reserve. All replicatedJobs count, initializers and launchers too, as if they
ran at the same time: Kueue reserves for all of them, and Trainer's PodGroup counts them all. Other than in that
PodGroup, replicas count, and so do limits without requests. The requests of suspended jobs count as well. Devices that
Pods claim (resourceClaims) are not resources and do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Any

from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.facts.resources import names_gpu, pod_requests, uncounted
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL, VOLCANO_API_VERSION, VOLCANO_QUEUE_ANNOTATION
from kubectl_trainjob.kube.launch.launchers import launch_of
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob, replicated_jobs
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, identity_of
from kubectl_trainjob.review.diff.changes import Compiled, Group, Totals

Resources = Mapping[str, Quantity]

NOTHING = Totals(resources={})
_MOST = Quantity(1, 30)  # more than any cluster has, and few enough digits to add and print

# Shares of a device's memory and cores, which are not counted in devices: those of HAMi, Volcano, Koordinator, Alibaba
# Cloud and Intel.
_SHARE = re.compile(r"gpu-?(mem|core)|^gpu\.intel\.com/(memory|millicores|.*_monitoring$)", re.IGNORECASE)

_LISTS = ("containers", "initContainers")
_VOLCANO_DEFAULT = "default"


def totals_of(job: Compiled) -> Totals:
    """What one TrainJob requests; one that cannot be built counts only as a job.

    A resource without requests is not among the resources, nor is one with an amount that no cluster can have.
    """
    pods, resources = 0, dict[str, Quantity]()
    for replicated in replicated_jobs(job.objects[0]) if job.objects else ():
        count = replicated.pods
        if count:
            pods += count
            _add(resources, _times(_requests(replicated), count))
    size = world_size(job)
    return Totals(1, pods, max(size or 0, 0), resources, int(bool(job.objects) and size is None))


def total(every: Iterable[Totals]) -> Totals:
    """What all request together."""
    return reduce(add, every, NOTHING)


def add(one: Totals, other: Totals) -> Totals:
    """What both request together."""
    resources = dict(one.resources or {})
    _add(resources, other.resources or {})
    pods, processes = one.pods + other.pods, one.processes + other.processes
    return Totals(one.jobs + other.jobs, pods, processes, resources, one.unsized + other.unsized)


def world_size(job: Compiled) -> int | None:
    """The number of processes; None if it is unknown before they start, or the job cannot be built."""
    if not job.objects or job.runtime is None:
        return None
    size = launch_of(job.runtime.body.get("spec") or {}, job.objects).total
    return size.value if size else None


def gpus(totals: Totals) -> Mapping[str, Quantity]:
    """The requested GPUs, TPUs and other devices, sorted by the names of their resources."""
    return {name: quantity for name, quantity in sorted((totals.resources or {}).items()) if is_gpu(name)}


def is_gpu(resource: str) -> bool:
    """Whether a resource of this name counts whole devices, or parts that are devices to a container (MIG)."""
    is_device = names_gpu(resource) or uncounted({"limits": {resource: 1}}) is not None
    return is_device and _SHARE.search(resource) is None


def group_of(job: Compiled) -> Group:
    """The namespace of a TrainJob, and the first queue that is set.

    Kueue reads the label of the TrainJob or, without one, of the JobSet (kueue `pkg/controller/jobframework`). Volcano
    reads the PodGroup's `spec.queue`, which is "default" by default, or, without a PodGroup, an annotation of the Pods
    (volcano.sh/apis `scheduling/v1beta1`, QueueNameAnnotationKey).
    """
    return Group(job.manifest.id.namespace, next(filter(None, _queues(job)), ""))


def _queues(job: Compiled) -> Iterator[str]:
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


def _with_requests(pod_spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A Pod spec in which each limit without a request is requested.

    The API server does so when it creates the Pod; the templates of Jobs and JobSets are stored without. Mirrors
    SetDefaults_Pod and defaultPodRequests in k8s.io/kubernetes `pkg/apis/core/v1/defaults.go` (1.36). The limit of the
    Pod as a whole counts only if no container requests the resource, except for huge pages.
    """
    lists = {key: [_requesting(each, _amounts(each, "limits")) for each in pod_spec.get(key) or ()] for key in _LISTS}
    requested = {name for containers in lists.values() for each in containers for name in _amounts(each, "requests")}
    whole = {
        name: limit
        for name, limit in _amounts(pod_spec, "limits").items()
        if name.startswith("hugepages-") or (name in ("cpu", "memory") and name not in requested)
    }
    return _requesting({**pod_spec, **lists}, whole)


def _amounts(owner: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    return (owner.get("resources") or {}).get(kind) or {}


def _requesting(owner: Mapping[str, Any], limits: Mapping[str, Any]) -> Mapping[str, Any]:
    """A container, or a Pod spec, that requests the limits that it does not request yet."""
    requests = _amounts(owner, "requests")
    if limits.keys() <= requests.keys():
        return owner
    return {**owner, "resources": {**owner["resources"], "requests": {**limits, **requests}}}


def _requests(replicated: ReplicatedJob) -> Resources:
    """What one Pod requests with the defaults of the API server; nothing if an amount is not a valid quantity."""
    try:
        return pod_requests(_with_requests(replicated.pod))
    except QuantityError:
        return {}


def _times(resources: Resources, count: int) -> Resources:
    shares = {name: quantity * count for name, quantity in resources.items() if Quantity.ZERO < quantity < _MOST}
    return {name: share for name, share in shares.items() if share < _MOST}


def _add(sums: dict[str, Quantity], more: Resources) -> None:
    for name, quantity in more.items():
        sums[name] = sums[name] + quantity if name in sums else quantity
