"""What one Pod of a replicatedJob requests, by the rules of the releases.

Mirrors SinglePodRequests of trainer `pkg/runtime/runtime.go`, and what newRuntimeInfo in
`pkg/runtime/core/trainingruntime.go` does before it is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.api.jobset import pod_spec
from kubectl_trainjob.api.pod_requests import pod_requests
from kubectl_trainjob.api.quantity import Quantity
from kubectl_trainjob.api.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.expand.plan import Plan, PodSet

Requests = Mapping[str, Quantity]


def as_planned(plan: Plan, pods: PodSet) -> Requests:
    """What the Pod template says; resourcesPerNode counts where it has been merged into the template (2.1, 2.3)."""
    return pod_requests(_spec(plan, pods))


def with_resources_per_node(plan: Plan, pods: PodSet) -> Requests:
    """The trainer's `node` container with resourcesPerNode in place of its own resources (2.2)."""
    spec = _spec(plan, pods)
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is None or pods.ancestor != ANCESTOR_TRAINER or plan.ml_policy is None:
        return pod_requests(spec)
    containers = list(spec.get("containers") or ())
    index = next((i for i, container in enumerate(containers) if container["name"] == NODE), None)
    if index is not None:
        containers[index] = {**containers[index], "resources": override}
    return pod_requests({**spec, "containers": containers})


def without_huge_pages_of_pods(plan: Plan, pods: PodSet) -> Requests:
    """As planned, but huge pages that are requested for the Pod as a whole are not known yet (2.0)."""
    spec = _spec(plan, pods)
    whole = (spec.get("resources") or {}).get("requests")
    if not whole:
        return pod_requests(spec)
    known = {name: quantity for name, quantity in whole.items() if not name.startswith("hugepages-")}
    return pod_requests({**spec, "resources": {"requests": known}})


def _spec(plan: Plan, pods: PodSet) -> dict[str, Any]:
    spec: dict[str, Any] = plan.jobset.get(*pod_spec(pods.position))
    return spec
