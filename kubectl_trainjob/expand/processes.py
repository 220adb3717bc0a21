"""How many processes torch starts on a node, by the rules of the releases.

Mirrors the first half of EnforceMLPolicy in trainer `pkg/runtime/framework/plugins/torch/torch.go`. A word instead of a
number is left to torchrun.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.api.numbers import as_int32
from kubectl_trainjob.api.quantity import Quantity
from kubectl_trainjob.draft import Cause
from kubectl_trainjob.expand.plan import RUNTIME, TRAINER, Plan
from kubectl_trainjob.expand.resources import NodeResources, names_gpu, node_resources

Processes = int | str
Counted = tuple[Processes, tuple[Cause, ...]]
"""A number or a word, and what it was taken or computed from."""

AUTO, CPU = "auto", "cpu"
WORDS = (AUTO, CPU, "gpu")


def stated_or_counted(plan: Plan) -> Counted:
    """As the TrainJob says, else "auto" where there are GPUs, else one a CPU (2.2, 2.3)."""
    stated = (plan.trainer or {}).get("numProcPerNode")
    if stated is not None:
        return stated, ((*TRAINER, "numProcPerNode"),)
    resources = node_resources(plan)
    return (AUTO, resources.gpus_from) if resources.gpus else _one_a_cpu(resources)


def words_counted(plan: Plan) -> Counted:
    """As the TrainJob or the runtime says; "cpu", and "auto" where there is no GPU, become one a CPU (2.1)."""
    stated, said = _stated(plan)
    resources = node_resources(plan)
    if stated == CPU or (stated == AUTO and not resources.gpus):
        number, counted_from = _one_a_cpu(resources)
        return number, (*counted_from, *said)
    return stated, (*said, *(resources.gpus_from if stated == AUTO else ()))


def overridden_by_resources(plan: Plan) -> Counted:
    """As the TrainJob or the runtime says, until the TrainJob states resourcesPerNode: then these decide (2.0).

    The limits count if they speak of CPUs as the word asks, else the requests; without requests it is 1, whatever
    number was stated.
    """
    stated, said = _stated(plan)
    override = (plan.trainer or {}).get("resourcesPerNode")
    if override is None:
        return stated, said
    limits, requests = override.get("limits"), override.get("requests")
    causes = ((*TRAINER, "resourcesPerNode"), *said)
    if limits is not None and _speaks_of_cpus(stated, limits):
        return _cpus(limits), causes
    if requests is None:
        return 1, causes
    if _speaks_of_cpus(stated, requests):
        return _cpus(requests), causes
    return (1, causes) if stated == CPU else (stated, said)


def _stated(plan: Plan) -> Counted:
    of_job = (plan.trainer or {}).get("numProcPerNode")
    if of_job is not None:
        return of_job, ((*TRAINER, "numProcPerNode"),)
    of_runtime: Processes = (plan.policy("torch") or {}).get("numProcPerNode", AUTO)
    return of_runtime, ((RUNTIME, "spec", "mlPolicy", "torch", "numProcPerNode"),)


def _one_a_cpu(resources: NodeResources) -> Counted:
    return as_int32(max(1, resources.cpus)), resources.cpus_from


def _speaks_of_cpus(stated: Processes, quantities: Mapping[str, Any]) -> bool:
    if stated == AUTO:
        return not any(names_gpu(name) for name in quantities)
    return stated == CPU and "cpu" in quantities


def _cpus(quantities: Mapping[str, Any]) -> int:
    return max(1, as_int32(Quantity.parse(quantities.get("cpu", "0")).value()))
