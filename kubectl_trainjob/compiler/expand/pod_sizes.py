"""What one Pod of a replicatedJob requests, by the rules of the releases.

Mirrors SinglePodRequests of trainer `pkg/runtime/runtime.go`, and what newRuntimeInfo in
`pkg/runtime/core/trainingruntime.go` does before it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.expand.nodes import is_trainer
from kubectl_trainjob.compiler.expand.plan import JOB_SET, TRAINER, Plan, PodSet
from kubectl_trainjob.kube.facts.jobset import pod_spec
from kubectl_trainjob.kube.facts.pod_requests import pod_requests, request_pointers
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.source import Pointer


class PodSize(NamedTuple):
    """The Pod spec that a release computes the requests from, and where it stands.

    `override` is the container whose resources are the TrainJob's instead of its own, () for none.
    """

    spec: Mapping[str, Any]
    cause: Cause
    override: Pointer = ()

    def requests(self) -> Mapping[str, Quantity]:
        """What the Pod requests, by resource."""
        return pod_requests(self.spec)

    def because(self, resource: str) -> Iterator[Cause]:
        """Where the amounts of one resource stand."""
        own = (*self.override, "resources")
        for pointer in request_pointers(self.spec, resource):
            if self.override and pointer[: len(own)] == own:
                yield (*TRAINER, "resourcesPerNode", *pointer[len(own) :])
            else:
                yield (*self.cause, *pointer)


Sizes = Callable[[Plan, PodSet], PodSize]


def as_planned(plan: Plan, pods: PodSet) -> PodSize:
    """What the Pod template says before the JobSet's last writes.

    resourcesPerNode counts in 2.3, which has merged it by then; in 2.1 it is not there yet, so it does not count.
    """
    pointer = pod_spec(pods.position)
    return PodSize(plan.jobset.get(*pointer), (JOB_SET, *pointer))


def with_resources_per_node(plan: Plan, pods: PodSet) -> PodSize:
    """The trainer's `node` container with resourcesPerNode in place of its own resources (2.2)."""
    size = as_planned(plan, pods)
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is None or not is_trainer(pods.ancestor) or plan.ml_policy is None:
        return size
    containers = list(size.spec.get("containers") or ())
    index = next((i for i, container in enumerate(containers) if container["name"] == NODE), None)
    if index is None:
        return size
    containers[index] = {**containers[index], "resources": override}
    return size._replace(spec={**size.spec, "containers": containers}, override=("containers", index))


def without_huge_pages_of_pods(plan: Plan, pods: PodSet) -> PodSize:
    """As planned, but huge pages that are requested for the Pod as a whole are not known yet (2.0)."""
    size = as_planned(plan, pods)
    whole = (size.spec.get("resources") or {}).get("requests")
    if not whole:
        return size
    known = {name: quantity for name, quantity in whole.items() if not name.startswith("hugepages-")}
    return size._replace(spec={**size.spec, "resources": {"requests": known}})
