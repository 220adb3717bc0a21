"""How many processes torch starts on a node, by the rules of the releases.

Mirrors the first half of EnforceMLPolicy in trainer `pkg/runtime/framework/plugins/torch/torch.go`. A word instead of a
number is left to torchrun.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.plan import RUNTIME, TRAINER, Counted, Plan
from kubectl_trainjob.compiler.expand.resources import NodeResources, node_resources
from kubectl_trainjob.kube.facts.node_counts import names_gpu
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.kube.facts.quantity import Quantity

Processes = int | str

AUTO, CPU = "auto", "cpu"
WORDS = (AUTO, CPU, "gpu")


def stated_or_counted(plan: Plan) -> Counted[Processes]:
    """As the TrainJob says, else "auto" where there are GPUs, else one a CPU (2.2, 2.3)."""
    stated = (plan.trainer or {}).get("numProcPerNode")
    if stated is not None:
        return Counted(stated, ((*TRAINER, "numProcPerNode"),))
    resources = node_resources(plan)
    gpus = resources.gpus
    return Counted(AUTO, gpus.because) if gpus.value else _one_a_cpu(resources)


def words_counted(plan: Plan) -> Counted[Processes]:
    """As the TrainJob or the runtime says; "cpu", and "auto" where there is no GPU, become one a CPU (2.1)."""
    stated, said = _stated(plan)
    resources = node_resources(plan)
    gpus = resources.gpus
    if stated == CPU or (stated == AUTO and not gpus.value):
        number, because = _one_a_cpu(resources)
        return Counted(number, (*because, *said))
    return Counted(stated, (*said, *(gpus.because if stated == AUTO else ())))


def overridden_by_resources(plan: Plan) -> Counted[Processes]:
    """As the TrainJob or the runtime says, until the TrainJob states resourcesPerNode: then these decide (2.0).

    The limits count if they speak of CPUs as the word asks, else the requests; without requests it is 1, whatever
    number was stated.
    """
    stated, said = _stated(plan)
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is None:
        return Counted(stated, said)
    limits, requests = override.get("limits"), override.get("requests")
    because = ((*TRAINER, "resourcesPerNode"), *said)
    if limits is not None and _speaks_of_cpus(stated, limits):
        return Counted(_cpus(limits), because)
    if requests is None:
        return Counted(1, because)
    if _speaks_of_cpus(stated, requests):
        return Counted(_cpus(requests), because)
    return Counted(1, because) if stated == CPU else Counted(stated, said)


def _stated(plan: Plan) -> Counted[Processes]:
    of_job = (plan.trainer or {}).get("numProcPerNode")
    if of_job is not None:
        return Counted(of_job, ((*TRAINER, "numProcPerNode"),))
    of_runtime: Processes = (plan.policy("torch") or {}).get("numProcPerNode", AUTO)
    return Counted(of_runtime, ((RUNTIME, "spec", "mlPolicy", "torch", "numProcPerNode"),))


def _one_a_cpu(resources: NodeResources) -> Counted[Processes]:
    cpus = resources.cpus
    return Counted(as_int32(max(1, cpus.value)), cpus.because)


def _speaks_of_cpus(stated: Processes, quantities: Mapping[str, Any]) -> bool:
    if stated == AUTO:
        return not any(names_gpu(name) for name in quantities)
    return stated == CPU and "cpu" in quantities


def _cpus(quantities: Mapping[str, Any]) -> int:
    return max(1, as_int32(Quantity.parse(quantities.get("cpu", "0")).value()))
