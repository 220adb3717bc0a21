"""How many Pods and processes TrainJobs start, and what they ask for.

The number is what a queue has to reserve. All replicatedJobs count, initializers and launchers too, as if they ran at
the same time: Kueue reserves for all of them, and Trainer's PodGroup counts them all. Other than in that PodGroup,
replicas count, and so do limits without requests. What a job would ask for counts for a suspended one as well. Devices
that Pods claim (resourceClaims) are no resources and do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from kubectl_trainjob.kube.facts.pod_requests import pod_requests
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.launch.read import launch_of
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob, replicated_jobs
from kubectl_trainjob.review.diff.changes import Compiled, Totals
from kubectl_trainjob.review.diff.pod_defaults import with_requests

Resources = Mapping[str, Quantity]

NOTHING = Totals(resources={})
_MOST = Quantity(1, 30)  # more than any cluster has, and few enough digits to add and print


def totals_of(job: Compiled) -> Totals:
    """What one TrainJob asks for; of one that cannot be built nothing is known but that it is there.

    A resource of which nothing is requested is not among the resources, nor is one whose amount no cluster can have.
    """
    pods, resources = 0, dict[str, Quantity]()
    for replicated in replicated_jobs(job.objects[0]) if job.objects else ():
        count = replicated.pods
        if count:
            pods += count
            _add(resources, _times(_requests(replicated), count))
    size = world_size(job)
    return Totals(1, pods, max(size or 0, 0), resources, int(bool(job.objects) and size is None))


def add(one: Totals, other: Totals) -> Totals:
    """What both ask for together."""
    resources = dict(one.resources or {})
    _add(resources, other.resources or {})
    return Totals(
        one.jobs + other.jobs,
        one.pods + other.pods,
        one.processes + other.processes,
        resources,
        one.unsized + other.unsized,
    )


def total(totals: Iterable[Totals]) -> Totals:
    """What all ask for together."""
    return reduce(add, totals, NOTHING)


def world_size(job: Compiled) -> int | None:
    """The number of processes; None if it is unknown before they start, or the job cannot be built."""
    if not job.objects or job.runtime is None:
        return None
    total = launch_of(job.runtime.body.get("spec") or {}, job.objects).total
    return total.value if total else None


def _requests(replicated: ReplicatedJob) -> Resources:
    """What one Pod requests, once the API server has set its defaults; nothing where an amount is no quantity."""
    try:
        return pod_requests(with_requests(replicated.pod))
    except QuantityError:
        return {}


def _times(resources: Resources, count: int) -> Resources:
    shares = {name: quantity * count for name, quantity in resources.items() if Quantity.ZERO < quantity < _MOST}
    return {name: share for name, share in shares.items() if share < _MOST}


def _add(total: dict[str, Quantity], more: Resources) -> None:
    for name, quantity in more.items():
        total[name] = total[name] + quantity if name in total else quantity
