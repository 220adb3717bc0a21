"""PodGroups of the scheduler-plugins and of Volcano.

Mirrors Build in trainer `pkg/runtime/framework/plugins/coscheduling` (2.0-2.3) and `…/volcano` (2.1-2.3). Both count
all pods of the job, initializers and launcher included, and replicas not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubectl_trainjob.compiler.expand.plan import JOB_SET, RUNTIME, Plan, identity
from kubectl_trainjob.compiler.expand.pod_sizes import PodSize, Sizes
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.facts.trainer import COSCHEDULING_API_VERSION, VOLCANO_API_VERSION, VOLCANO_QUEUE_ANNOTATION
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, fixed

_POLICY: Cause = (RUNTIME, "spec", "podGroupPolicy")


def coscheduling(size_of: Sizes, plan: Plan, group: Draft) -> Draft:
    """The scheduler-plugins' PodGroup; `size_of` tells what one Pod asks for."""
    group = _group(size_of, plan, group, COSCHEDULING_API_VERSION)
    timeout = (plan.gang("coscheduling") or {}).get("scheduleTimeoutSeconds", 60)
    cause = (*_POLICY, "coscheduling", "scheduleTimeoutSeconds")
    return group.put(("spec", "scheduleTimeoutSeconds"), timeout, copied=cause)


def volcano(size_of: Sizes, plan: Plan, group: Draft) -> Draft:
    """Volcano's PodGroup: queue from the JobSet's annotations, priority class from the last Pod template with one."""
    group = _group(size_of, plan, group, VOLCANO_API_VERSION)
    queue = plan.jobset.get("metadata", "annotations", VOLCANO_QUEUE_ANNOTATION)
    if queue is not None:
        annotation = (JOB_SET, "metadata", "annotations", VOLCANO_QUEUE_ANNOTATION)
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
    causes = tuple(cause for pods in plan.pod_sets for cause in pods.because)
    sizes = [size_of(plan, pods) for pods in plan.pod_sets]
    amounts: list[Write] = [
        computed(("spec", "minResources", name), str(quantity), (*causes, *_because(sizes, name, group)))
        for name, quantity in _total(plan, sizes).items()
    ]
    return group.put_each(
        [
            fixed(("apiVersion",), api_version),
            fixed(("kind",), "PodGroup"),
            *identity(plan),
            computed(("spec", "minMember"), as_int32(sum(pods.size for pods in plan.pod_sets)), causes),
            computed(("spec", "minResources"), {}, causes),
            *amounts,
        ]
    )


def _because(sizes: list[PodSize], resource: str, group: Draft) -> Iterator[Cause]:
    """Where the Pods' amounts of a resource stand, for a draft that records."""
    return (cause for size in sizes if group.records for cause in size.because(resource))


def _total(plan: Plan, sizes: list[PodSize]) -> Mapping[str, Quantity]:
    """What all pods request together."""
    total: dict[str, Quantity] = {}
    for pods, size in zip(plan.pod_sets, sizes, strict=True):
        for name, quantity in size.requests().items():
            share = quantity * pods.size
            total[name] = total[name] + share if name in total else share
    return total
