"""How many processes a training node takes, by the rules of the releases.

Mirrors trainer `pkg/runtime/runtime.go` (2.1-2.3) for the resources, and the first half of EnforceMLPolicy in the
plugins torch and mpi below `pkg/runtime/framework/plugins`. torchrun reads a word instead of a number itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.expand.nodes import is_counted
from kubectl_trainjob.compiler.expand.plan import JOB_SET, RUNTIME, TRAINER, DerivedValue, Plan, ancestor_of
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.facts.resources import NodeCount, Resources, cpu_count, gpu_count, names_gpu
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.model.draft import Cause


class NodeResources(NamedTuple):
    """The resources that processes are counted from, and where they are."""

    amounts: Resources
    cause: Cause

    @property
    def gpus(self) -> DerivedValue[int]:
        """How many GPUs Trainer counts; because of all resources if there is no GPU."""
        count = gpu_count(self.amounts)
        return DerivedValue(count.number, self._places(count) or (self.cause,))

    @property
    def cpus(self) -> DerivedValue[int]:
        """How many CPUs Trainer counts, after it found no GPU."""
        count = cpu_count(self.amounts)
        because = (*self._places(count), *self._places(gpu_count(self.amounts)))
        return DerivedValue(count.number, because or (self.cause,))

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


Processes = int | str

AUTO, CPU = "auto", "cpu"
WORDS = (AUTO, CPU, "gpu")


def specified_or_counted(plan: Plan) -> DerivedValue[Processes]:
    """The TrainJob's number, else "auto" if there are GPUs, else one for each CPU (2.2, 2.3)."""
    specified = (plan.trainer or {}).get("numProcPerNode")
    if specified is not None:
        return DerivedValue(specified, ((*TRAINER, "numProcPerNode"),))
    resources = node_resources(plan)
    gpus = resources.gpus
    return DerivedValue(AUTO, gpus.because) if gpus.value else _one_a_cpu(resources)


def words_counted(plan: Plan) -> DerivedValue[Processes]:
    """The TrainJob's or the runtime's; "cpu", and "auto" without a GPU, mean one for each CPU (2.1)."""
    specified, causes = _number_or_default(plan, "torch", AUTO)
    resources = node_resources(plan)
    gpus = resources.gpus
    if specified == CPU or (specified == AUTO and not gpus.value):
        number, because = _one_a_cpu(resources)
        return DerivedValue(number, (*because, *causes))
    return DerivedValue(specified, (*causes, *(gpus.because if specified == AUTO else ())))


def overridden_by_resources(plan: Plan) -> DerivedValue[Processes]:
    """The TrainJob's or the runtime's; but the TrainJob's resourcesPerNode overrides both (2.0).

    Trainer reads the limits if they have CPUs as the word requires, else the requests; without requests it is always
    1.
    """
    specified, causes = _number_or_default(plan, "torch", AUTO)
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is None:
        return DerivedValue(specified, causes)
    limits, requests = override.get("limits"), override.get("requests")
    because = ((*TRAINER, "resourcesPerNode"), *causes)
    if limits is not None and _counts_cpus(specified, limits):
        return DerivedValue(_cpus(limits), because)
    if requests is None:
        return DerivedValue(1, because)
    if _counts_cpus(specified, requests):
        return DerivedValue(_cpus(requests), because)
    return DerivedValue(1, because) if specified == CPU else DerivedValue(specified, causes)


def _number_or_default(plan: Plan, policy: str, default: Processes) -> DerivedValue[Any]:
    """numProcPerNode of the TrainJob, else of the runtime's policy."""
    of_job = (plan.trainer or {}).get("numProcPerNode")
    if of_job is not None:
        return DerivedValue(of_job, ((*TRAINER, "numProcPerNode"),))
    of_runtime = (plan.policy(policy) or {}).get("numProcPerNode", default)
    return DerivedValue(of_runtime, ((RUNTIME, "spec", "mlPolicy", policy, "numProcPerNode"),))


def _one_a_cpu(resources: NodeResources) -> DerivedValue[Processes]:
    cpus = resources.cpus
    return DerivedValue(as_int32(max(1, cpus.value)), cpus.because)


def _counts_cpus(specified: Processes, quantities: Mapping[str, Any]) -> bool:
    if specified == AUTO:
        return not any(names_gpu(name) for name in quantities)
    return specified == CPU and "cpu" in quantities


def _cpus(quantities: Mapping[str, Any]) -> int:
    return max(1, as_int32(Quantity.parse(quantities.get("cpu", "0")).value()))


MPI: Cause = (RUNTIME, "spec", "mlPolicy", "mpi")


def specified_slots(plan: Plan) -> DerivedValue[int]:
    """Slots a node: the TrainJob's, else the runtime's (2.0)."""
    return _number_or_default(plan, "mpi", 1)


def slots(plan: Plan) -> DerivedValue[int]:
    """The same, where 1 in the runtime means one a GPU (2.1-2.3)."""
    specified, causes = specified_slots(plan)
    if specified == 1 and causes[0][0] == RUNTIME:
        gpus = node_resources(plan).gpus
        return DerivedValue(as_int32(gpus.value) if gpus.value > 1 else specified, (*gpus.because, *causes))
    return DerivedValue(specified, causes)
