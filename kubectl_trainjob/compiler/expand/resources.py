"""A training node's resources, and the GPUs and CPUs in them. Mirrors trainer `pkg/runtime/runtime.go` (2.1-2.3)."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_trainjob.compiler.expand.nodes import is_counted
from kubectl_trainjob.compiler.expand.plan import JOB_SET, RUNTIME, TRAINER, Counted, Plan, ancestor_of
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.kube.facts.node_counts import NodeCount, Resources, cpu_count, gpu_count
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.model.draft import Cause


class NodeResources(NamedTuple):
    """The resources that processes are counted from, and where they stand."""

    amounts: Resources
    cause: Cause

    @property
    def gpus(self) -> Counted[int]:
        """How many GPUs Trainer counts; because of all resources where none is stated."""
        count = gpu_count(self.amounts)
        return Counted(count.number, self._places(count) or (self.cause,))

    @property
    def cpus(self) -> Counted[int]:
        """How many CPUs Trainer counts, for which it first saw that there is no GPU."""
        count = cpu_count(self.amounts)
        because = (*self._places(count), *self._places(gpu_count(self.amounts)))
        return Counted(count.number, because or (self.cause,))

    def _places(self, count: NodeCount) -> tuple[Cause, ...]:
        return tuple((*self.cause, amount.field, amount.name) for amount in count.amounts)


def node_resources(plan: Plan) -> NodeResources:
    """The resources of a training node.

    The TrainJob's resourcesPerNode counts *instead of* the container's, although the two are merged in the Pod.
    """
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is not None:
        return NodeResources(override, (*TRAINER, "resourcesPerNode"))
    for index, job in enumerate(plan.jobset.get(*REPLICATED_JOBS) or ()):
        if is_counted(job["name"], ancestor_of(plan.jobset, index)):
            for position, container in enumerate(plan.jobset.get(*pod_spec(index), "containers") or ()):
                if container.get("name") == NODE:
                    cause = (JOB_SET, *pod_spec(index), "containers", position, "resources")
                    return NodeResources(container.get("resources") or {}, cause)
    return NodeResources({}, (RUNTIME, "spec", "template", "spec"))
