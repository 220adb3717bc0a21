"""How many GPUs and CPUs a training node has, as Trainer counts them. Mirrors trainer `pkg/runtime/runtime.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.api.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.api.quantity import Quantity
from kubectl_trainjob.api.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.draft import Cause
from kubectl_trainjob.expand.plan import RUNTIME, TRAINER, Plan, ancestor_of

Resources = Mapping[str, Any]


def node_resources(plan: Plan) -> tuple[Resources, Cause]:
    """The resources that processes are counted from, and where they stand.

    The TrainJob's resourcesPerNode counts *instead of* the container's, although the two are merged in the Pod.
    """
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is not None:
        return override, (*TRAINER, "resourcesPerNode")
    for index, job in enumerate(plan.jobset.get(*REPLICATED_JOBS) or ()):
        if job["name"] == NODE or ancestor_of(plan.jobset, index) == ANCESTOR_TRAINER:
            for position, container in enumerate(plan.jobset.get(*pod_spec(index), "containers") or ()):
                if container.get("name") == NODE:
                    cause = (RUNTIME, "spec", "template", *pod_spec(index), "containers", position, "resources")
                    return container.get("resources") or {}, cause
    return {}, (RUNTIME, "spec", "template", "spec")


def gpu_count(resources: Resources) -> int:
    """GPUs of one node: the requests' first resource with "gpu" in its name, else the limits'.

    With several such names upstream's answer is random (a Go map); here the first by name counts.
    """
    requested = _gpus(resources.get("requests"))
    # The schema admits negative amounts; upstream takes those of the requests, but not those of the limits.
    return requested or max(_gpus(resources.get("limits")), 0)


def names_gpu(name: str) -> bool:
    """Whether Trainer takes a resource of this name for a GPU."""
    return "gpu" in name.lower()


def _gpus(quantities: Mapping[str, Any] | None) -> int:
    names = sorted(filter(names_gpu, quantities or ()))
    return Quantity.parse(quantities[names[0]]).value() if quantities and names else 0


def cpu_count(resources: Resources) -> int:
    """CPUs of one node, rounded up: the request, or the limit when nothing is requested."""
    requested = Quantity.parse((resources.get("requests") or {}).get("cpu", "0"))
    if not requested.is_zero():
        return requested.value()
    return Quantity.parse((resources.get("limits") or {}).get("cpu", "0")).value()
