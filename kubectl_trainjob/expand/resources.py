"""How many GPUs and CPUs a training node has, as Trainer counts them. Mirrors trainer `pkg/runtime/runtime.go`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.api.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.api.quantity import Quantity
from kubectl_trainjob.api.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.draft import Cause
from kubectl_trainjob.expand.plan import JOB_SET, RUNTIME, TRAINER, Plan, ancestor_of

Resources = Mapping[str, Any]


class NodeResources(NamedTuple):
    """The resources that processes are counted from, and where they stand."""

    amounts: Resources
    cause: Cause

    @property
    def gpus(self) -> int:
        """How many GPUs Trainer counts."""
        return gpu_count(self.amounts)

    @property
    def cpus(self) -> int:
        """How many CPUs Trainer counts."""
        return cpu_count(self.amounts)

    @property
    def gpus_from(self) -> tuple[Cause, ...]:
        """Where the number of GPUs stands; all resources where none is stated."""
        return tuple(self._from(names_gpu)) or (self.cause,)

    @property
    def cpus_from(self) -> tuple[Cause, ...]:
        """Where the number of CPUs stands, and that there is no GPU; all resources where neither is stated."""
        return (*self._from("cpu".__eq__), *self._from(names_gpu)) or (self.cause,)

    def _from(self, is_meant: Callable[[str], bool]) -> Iterator[Cause]:
        """The amounts that were looked at: up to the first that is not zero."""
        for field in ("requests", "limits"):
            for name, amount in sorted((self.amounts.get(field) or {}).items()):
                if is_meant(name):
                    yield (*self.cause, field, name)
                    if not Quantity.parse(amount).is_zero():
                        return


def node_resources(plan: Plan) -> NodeResources:
    """The resources of a training node.

    The TrainJob's resourcesPerNode counts *instead of* the container's, although the two are merged in the Pod.
    """
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is not None:
        return NodeResources(override, (*TRAINER, "resourcesPerNode"))
    for index, job in enumerate(plan.jobset.get(*REPLICATED_JOBS) or ()):
        if job["name"] == NODE or ancestor_of(plan.jobset, index) == ANCESTOR_TRAINER:
            for position, container in enumerate(plan.jobset.get(*pod_spec(index), "containers") or ()):
                if container.get("name") == NODE:
                    cause = (JOB_SET, *pod_spec(index), "containers", position, "resources")
                    return NodeResources(container.get("resources") or {}, cause)
    return NodeResources({}, (RUNTIME, "spec", "template", "spec"))


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
