"""PodGroups of the scheduler-plugins and of Volcano.

Mirrors Build in trainer `pkg/runtime/framework/plugins/coscheduling` (2.0-2.3) and `…/volcano` (2.1-2.3). Both count
all pods of the job, initializers and launcher included, and replicas not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from kubectl_trainjob.api.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.api.numbers import as_int32
from kubectl_trainjob.api.quantity import Quantity
from kubectl_trainjob.api.trainer import COSCHEDULING_API_VERSION, VOLCANO_API_VERSION, VOLCANO_QUEUE_ANNOTATION
from kubectl_trainjob.draft import Cause, Draft, Write
from kubectl_trainjob.expand.identity import identity
from kubectl_trainjob.expand.plan import JOB_SET, RUNTIME, TRAINER, Plan, PodSet

Requests = Callable[[Plan, PodSet], Mapping[str, Quantity]]
_CONTAINERS = ("containers", "initContainers")
POLICY: Cause = (RUNTIME, "spec", "podGroupPolicy")


def coscheduling(requests: Requests, plan: Plan, group: Draft) -> Draft:
    """The scheduler-plugins' PodGroup; `requests` tells what one Pod asks for."""
    group = _group(requests, plan, group, COSCHEDULING_API_VERSION)
    timeout = (plan.gang("coscheduling") or {}).get("scheduleTimeoutSeconds", 60)
    cause = (*POLICY, "coscheduling", "scheduleTimeoutSeconds")
    return group.put(("spec", "scheduleTimeoutSeconds"), timeout, copied=cause)


def volcano(requests: Requests, plan: Plan, group: Draft) -> Draft:
    """Volcano's PodGroup: queue from the JobSet's annotations, priority class from the last Pod template with one."""
    group = _group(requests, plan, group, VOLCANO_API_VERSION)
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
        group = group.put(("spec", "networkTopology"), wanted, copied=(*POLICY, "volcano", "networkTopology"))
    return group


def _group(requests: Requests, plan: Plan, group: Draft, api_version: str) -> Draft:
    causes = tuple(cause for pods in plan.pod_sets for cause in pods.counted_from)
    total = _total(requests, plan)
    amounts: list[Write] = [
        (("spec", "minResources", name), str(quantity), None, (*causes, *_stated(plan, name)) if group.records else ())
        for name, quantity in total.items()
    ]
    return group.put_each(
        [
            (("apiVersion",), api_version, None, ()),
            (("kind",), "PodGroup", None, ()),
            *identity(plan),
            (("spec", "minMember"), as_int32(sum(pods.size for pods in plan.pod_sets)), None, causes),
            (("spec", "minResources"), {}, None, causes),
            *amounts,
        ]
    )


def _stated(plan: Plan, resource: str) -> Iterator[Cause]:
    """Where the Pods of a job ask for some of a resource."""
    trainer = (*TRAINER, "resourcesPerNode", "requests", resource)
    for pods in plan.pod_sets:
        spec = pod_spec(pods.position)
        owners = [(kind, index) for kind in _CONTAINERS for index in range(len(plan.jobset.get(*spec, kind) or ()))]
        for owner in ((), *owners):
            requested = (*spec, *owner, "resources", "requests", resource)
            if plan.jobset.get(*requested) is not None:
                yield (JOB_SET, *requested)
        if plan.jobset.get(*spec, "overhead", resource) is not None:
            yield (JOB_SET, *spec, "overhead", resource)
    if resource in (((plan.trainer or {}).get("resourcesPerNode") or {}).get("requests") or {}):
        yield trainer


def _total(requests: Requests, plan: Plan) -> Mapping[str, Quantity]:
    """What all pods request together."""
    total: dict[str, Quantity] = {}
    for pods in plan.pod_sets:
        for name, quantity in requests(plan, pods).items():
            share = quantity * pods.size
            total[name] = total[name] + share if name in total else share
    return total
