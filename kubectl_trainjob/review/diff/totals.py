"""How many Pods and processes TrainJobs start, and what they ask for.

The number is what a queue has to reserve. All replicatedJobs count, initializers and launchers too, as if they ran at
the same time: Kueue reserves for all of them, and Trainer's PodGroup counts them all. Other than in that PodGroup,
replicas count, and so do limits without requests. What a job would ask for counts for a suspended one as well. Devices
that Pods claim (resourceClaims) are no resources and do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Any

from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.kube.facts.pod_requests import pod_requests
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.review.diff.changes import Compiled, Totals
from kubectl_trainjob.review.diff.pod_defaults import with_requests
from kubectl_trainjob.review.diff.world_size import world_size

Resources = Mapping[str, Quantity]

NOTHING = Totals(resources={})
_MOST = Quantity(1, 30)  # more than any cluster has, and few enough digits to add and print


def totals_of(job: Compiled) -> Totals:
    """What one TrainJob asks for; of one that cannot be built nothing is known but that it is there.

    A resource of which nothing is requested is not among the resources, nor is one whose amount no cluster can have.
    """
    pods, resources = 0, dict[str, Quantity]()
    for replicated in _replicated_jobs(job.objects):
        count = pods_at_once(replicated)
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


def pods_at_once(replicated: Body) -> int:
    """The Pods of a replicatedJob that run at the same time, if nothing keeps them from it.

    Mirrors podsCount in kueue `pkg/controller/jobs/jobset/jobset_controller.go` and the defaults of Jobs and JobSets.
    """
    spec = value_at(replicated, ("template", "spec")) or {}
    replicas, parallelism = replicated.get("replicas"), spec.get("parallelism")
    of_one = 1 if parallelism is None else parallelism
    completions = spec.get("completions")
    if completions is not None:
        of_one = min(of_one, completions)
    return max(1 if replicas is None else replicas, 0) * max(of_one, 0)


def _replicated_jobs(objects: Iterable[Body]) -> Iterator[Body]:
    for body in objects:
        if body.get("kind") == jobset.KIND:
            yield from value_at(body, jobset.REPLICATED_JOBS) or ()


def _requests(replicated: Body) -> Resources:
    """What one Pod requests, once the API server has set its defaults; nothing where an amount is no quantity."""
    spec: Mapping[str, Any] = value_at(replicated, ("template", "spec", "template", "spec")) or {}
    try:
        return pod_requests(with_requests(spec))
    except QuantityError:
        return {}


def _times(resources: Resources, count: int) -> Resources:
    shares = {name: quantity * count for name, quantity in resources.items() if Quantity.ZERO < quantity < _MOST}
    return {name: share for name, share in shares.items() if share < _MOST}


def _add(total: dict[str, Quantity], more: Resources) -> None:
    for name, quantity in more.items():
        total[name] = total[name] + quantity if name in total else quantity
