"""PyTorch: the PET_* environment that torchrun reads, and torchtune's command line.

Mirrors trainer `pkg/runtime/framework/plugins/torch/torch.go` (2.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.api.numbers import as_int32
from kubectl_trainjob.api.trainer import (
    ANCESTOR_TRAINER,
    COMPLETION_INDEX_FIELD,
    NODE,
    TORCH_RESERVED_ENV,
    TORCHTUNE_COMMAND,
    TRAINER_PORT,
)
from kubectl_trainjob.expand import torchtune
from kubectl_trainjob.expand.nodes import first_node, node_count, trainer_nodes
from kubectl_trainjob.expand.plan import TRAINER, Plan
from kubectl_trainjob.expand.reserved import reserved_env
from kubectl_trainjob.expand.resources import cpu_count, gpu_count, node_resources
from kubectl_trainjob.expand.upsert import Write, env, field_env, job_env, upsert
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.launch import TORCH_RESERVED
from kubectl_trainjob.findings.references import ENV_INJECTION_TARGET
from kubectl_trainjob.source import Pointer


def applies(plan: Plan) -> bool:
    """Runtimes with `mlPolicy.torch`."""
    return plan.policy("torch") is not None


def validate(plan: Plan) -> Iterator[Diagnostic]:
    """Injection targets exist, PET_* belong to the launcher, and torchtune's many conditions."""
    for pointer, job, container in _injection_targets(plan):
        if _find_container(plan, job, container) is None:
            message = (
                f'container "{container}" of replicatedJob "{job}" does not exist in the runtime; name one that does'
            )
            yield Diagnostic(ENV_INJECTION_TARGET, message, plan.runtime_place(*pointer))
    if plan.trainer is not None:
        yield from reserved_env(plan, TORCH_RESERVED_ENV, TORCH_RESERVED)
        if _is_torchtune(plan):
            yield from torchtune.validate(plan)


def enforce(plan: Plan) -> Plan:
    """Set the nodes, and PET_* in the injection targets and, given a `spec.trainer`, in the `node` container."""
    plan = trainer_nodes(plan)
    processes, cause = _processes(plan)
    rank = _rank_env(plan, "auto" if processes is None else str(processes), cause)
    master = [env("PET_MASTER_ADDR", first_node(plan)), env("PET_MASTER_PORT", str(TRAINER_PORT))]
    container = plan.container(ANCESTOR_TRAINER, NODE)
    if plan.trainer is not None and container is not None:
        plan = _enforce_node(plan, container, rank, None if _is_torchtune(plan) else master)
        if _is_torchtune(plan):
            plan = plan._replace(command=[*TORCHTUNE_COMMAND, *torchtune.arguments(plan, processes)])
    for _, job, name in _injection_targets(plan):
        target = _find_container(plan, job, name)
        if target is not None:
            plan = plan.with_jobset(upsert(plan.jobset, target, "env", [*rank, *master]))
    return plan


def _is_torchtune(plan: Plan) -> bool:
    return plan.command == TORCHTUNE_COMMAND


def _enforce_node(plan: Plan, container: Pointer, rank: list[Write], master: list[Write] | None) -> Plan:
    """Env and port of the main container; torchtune has no `master`, its nodes meet at an address in the command."""
    writes = [*job_env((plan.trainer or {}).get("env"), (*TRAINER, "env")), *rank, *(master or ())]
    jobset = upsert(plan.jobset, container, "env", writes)
    return plan.with_jobset(upsert(jobset, container, "ports", [Write({"containerPort": TRAINER_PORT})]))


def _rank_env(plan: Plan, processes: str, cause: Pointer) -> list[Write]:
    nodes, causes = node_count(plan)
    return [
        env("PET_NNODES", str(nodes), *causes),
        env("PET_NPROC_PER_NODE", processes, cause),
        field_env("PET_NODE_RANK", COMPLETION_INDEX_FIELD),
    ]


def _processes(plan: Plan) -> tuple[int | None, Pointer]:
    """Processes a node: as the TrainJob says, else None ("auto") where there are GPUs, else one a CPU."""
    stated = (plan.trainer or {}).get("numProcPerNode")
    if stated is not None:
        return stated, (*TRAINER, "numProcPerNode")
    resources, cause = node_resources(plan)
    return (None if gpu_count(resources) else as_int32(max(1, cpu_count(resources)))), cause


def _injection_targets(plan: Plan) -> Iterator[tuple[Pointer, str, str]]:
    """(pointer in the runtime, replicatedJob, container) of each target of `torch.envInjection`."""
    injection: Mapping[str, Any] = (plan.policy("torch") or {}).get("envInjection") or {}
    base: Pointer = ("spec", "mlPolicy", "torch", "envInjection", "targets")
    for index, target in enumerate(injection.get("targets") or ()):
        for position, name in enumerate(target.get("containerNames") or ()):
            yield (*base, index, "containerNames", position), target["jobName"], name


def _find_container(plan: Plan, job: str, name: str) -> Pointer | None:
    """A container of a replicatedJob; containers before init containers."""
    pods = plan.by_name(job)
    if pods is None:
        return None
    found = next(plan.containers(pods, name), None)
    return found or next(plan.containers(pods, name, "initContainers"), None)
