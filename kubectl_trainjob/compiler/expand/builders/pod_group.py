"""PodGroups of the scheduler-plugins and of Volcano, and what one Pod requests by the rules of the releases.

Mirrors Build in trainer `pkg/runtime/framework/plugins/coscheduling` (2.0-2.3) and `…/volcano` (2.1-2.3),
SinglePodRequests of `pkg/runtime/runtime.go`, and newRuntimeInfo in `pkg/runtime/core/trainingruntime.go`. Both plugins
count all Pods of the job, initializers and launcher included, but no replicas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.expand.nodes import is_trainer
from kubectl_trainjob.compiler.expand.plan import JOB_SET, RUNTIME, TRAINER, Plan, PodSet, identity
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.facts.resources import add_to, pod_requests, request_pointers
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, fixed
from kubectl_trainjob.model.source import Pointer


class PodSize(NamedTuple):
    """The Pod spec that a release computes the requests from, and where it is.

    `override` is the container with the resources of the TrainJob, () for none.
    """

    spec: Mapping[str, Any]
    cause: Cause
    override: Pointer = ()

    def requests(self) -> Mapping[str, Quantity]:
        """What the Pod requests, by resource."""
        return pod_requests(self.spec)

    def because(self, resource: str) -> Iterator[Cause]:
        """Where the amounts of one resource are."""
        own = (*self.override, "resources")
        for pointer in request_pointers(self.spec, resource):
            if self.override and pointer[: len(own)] == own:
                yield (*TRAINER, "resourcesPerNode", *pointer[len(own) :])
            else:
                yield (*self.cause, *pointer)


Sizes = Callable[[Plan, PodSet], PodSize]


def as_planned(plan: Plan, pods: PodSet) -> PodSize:
    """The Pod template before the last writes to the JobSet.

    resourcesPerNode counts in 2.3, which has merged it by then; in 2.1 it is not merged yet, so it does not count.
    """
    pointer = pod_spec(pods.position)
    return PodSize(plan.jobset.get(*pointer), (JOB_SET, *pointer))


def with_resources_per_node(plan: Plan, pods: PodSet) -> PodSize:
    """The trainer's `node` container with resourcesPerNode instead of the container's resources (2.2)."""
    size = as_planned(plan, pods)
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is None or not is_trainer(pods.ancestor) or plan.ml_policy is None:
        return size
    containers = list(size.spec.get("containers") or ())
    index = next((i for i, container in enumerate(containers) if container["name"] == trainer.NODE), None)
    if index is None:
        return size
    containers[index] = {**containers[index], "resources": override}
    return size._replace(spec={**size.spec, "containers": containers}, override=("containers", index))


def without_huge_pages_of_pods(plan: Plan, pods: PodSet) -> PodSize:
    """As planned, but 2.0 ignores huge pages that are requested for the Pod as a whole."""
    size = as_planned(plan, pods)
    whole = (size.spec.get("resources") or {}).get("requests")
    if not whole:
        return size
    known = {name: quantity for name, quantity in whole.items() if not name.startswith("hugepages-")}
    return size._replace(spec={**size.spec, "resources": {"requests": known}})


_POLICY: Cause = (RUNTIME, "spec", "podGroupPolicy")


def coscheduling(size_of: Sizes, plan: Plan, group: Draft) -> Draft:
    """The scheduler-plugins' PodGroup; `size_of` returns what one Pod requests."""
    group = _group(size_of, plan, group, trainer.COSCHEDULING_API_VERSION)
    timeout = (plan.gang("coscheduling") or {}).get("scheduleTimeoutSeconds", 60)
    cause = (*_POLICY, "coscheduling", "scheduleTimeoutSeconds")
    return group.put(("spec", "scheduleTimeoutSeconds"), timeout, copied=cause)


def volcano(size_of: Sizes, plan: Plan, group: Draft) -> Draft:
    """Volcano's PodGroup: queue from the JobSet's annotations, priority class from the last Pod template with one."""
    group = _group(size_of, plan, group, trainer.VOLCANO_API_VERSION)
    queue = plan.jobset.get("metadata", "annotations", trainer.VOLCANO_QUEUE_ANNOTATION)
    if queue is not None:
        annotation = (JOB_SET, "metadata", "annotations", trainer.VOLCANO_QUEUE_ANNOTATION)
        group = group.put(("spec", "queue"), queue, copied=annotation)
    for index in range(len(plan.jobset.get(*REPLICATED_JOBS) or ())):
        priority = plan.jobset.get(*pod_spec(index), "priorityClassName")
        if priority:
            cause = (JOB_SET, *pod_spec(index), "priorityClassName")
            group = group.put(("spec", "priorityClassName"), priority, copied=cause)
    topology = (plan.gang("volcano") or {}).get("networkTopology")
    if topology is not None:
        wanted = {"mode": topology.get("mode", "hard"), "highestTierAllowed": topology.get("highestTierAllowed", 1)}
        group = group.put(("spec", "networkTopology"), wanted, copied=(*_POLICY, "volcano", "networkTopology"))
    return group


def _group(size_of: Sizes, plan: Plan, group: Draft, api_version: str) -> Draft:
    causes = tuple(cause for pods in plan.pod_sets for cause in pods.required.because)
    sizes = [size_of(plan, pods) for pods in plan.pod_sets]
    amounts: list[Write] = [
        computed(("spec", "minResources", name), str(quantity), (*causes, *_because(sizes, name, group)))
        for name, quantity in _total(plan, sizes).items()
    ]
    return group.put_each(
        [
            fixed(("apiVersion",), api_version),
            fixed(("kind",), trainer.POD_GROUP),
            *identity(plan),
            computed(("spec", "minMember"), as_int32(sum(pods.required.value for pods in plan.pod_sets)), causes),
            computed(("spec", "minResources"), {}, causes),
            *amounts,
        ]
    )


def _because(sizes: list[PodSize], resource: str, group: Draft) -> Iterator[Cause]:
    """Where the Pods' amounts of a resource are, for a draft that records."""
    return (cause for size in sizes if group.records for cause in size.because(resource))


def _total(plan: Plan, sizes: list[PodSize]) -> Mapping[str, Quantity]:
    """What all required pods request together."""
    total: dict[str, Quantity] = {}
    for pods, size in zip(plan.pod_sets, sizes, strict=True):
        add_to(total, {name: quantity * pods.required.value for name, quantity in size.requests().items()})
    return total
