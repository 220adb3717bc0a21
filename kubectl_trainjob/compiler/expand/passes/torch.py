"""PyTorch: the PET_* environment that torchrun reads, and torchtune's command line.

Mirrors trainer `pkg/runtime/framework/plugins/torch/torch.go` (2.0-2.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand import torchtune
from kubectl_trainjob.compiler.expand.nodes import reserved_env, trainer_nodes, with_env
from kubectl_trainjob.compiler.expand.plan import TRAINER, DerivedValue, Plan
from kubectl_trainjob.compiler.expand.processes import WORDS, Processes
from kubectl_trainjob.compiler.expand.rendezvous import Meeting, meet_at_first_node
from kubectl_trainjob.compiler.expand.upsert import job_env, upsert
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import ENV_INJECTION_TARGET, INVALID_TYPE_OR_ENUM
from kubectl_trainjob.model.source import Pointer

Count = Callable[[Plan], DerivedValue[Processes]]


def injection_targets(plan: Plan) -> Iterator[Diagnostic]:
    """The containers of `envInjection` exist (2.3)."""
    for pointer, job, container in _injection_targets(plan):
        if _find_container(plan, job, container) is None:
            message = say(
                'the runtime has no container "{}" in replicatedJob "{}"; write one that exists', container, job
            )
            related = RelatedPlace(say("named here"), plan.runtime_place(*pointer))
            yield Diagnostic(ENV_INJECTION_TARGET, message, plan.job_place("spec", "runtimeRef"), (related,))


def own_env_with_processes(plan: Plan) -> Iterator[Diagnostic]:
    """PET_* belong to the launcher, but the webhook checks only TrainJobs with numProcPerNode (2.0, 2.1).

    Of the others' PET_* the TrainJob's are what the Pods get: the JobSet's builder writes them last.
    """
    if (plan.trainer or {}).get("numProcPerNode") is not None:
        yield from reserved_env(trainer.TORCH_RESERVED_ENV, rules.TORCH_RESERVED_ENV, plan)


def word_or_number(plan: Plan) -> Iterator[Diagnostic]:
    """numProcPerNode is a number or one of three words (2.0, 2.1; later a number, by the schema)."""
    specified = (plan.trainer or {}).get("numProcPerNode")
    if isinstance(specified, str) and specified not in WORDS:
        message = say('numProcPerNode "{}" is not valid; write auto, cpu, gpu or an integer', specified)
        yield Diagnostic(INVALID_TYPE_OR_ENUM, message, plan.job_place("spec", "trainer", "numProcPerNode"))


def enforce(
    count: Count,
    known: torchtune.Torchtune,
    plan: Plan,
    *,
    meeting: Callable[[Plan, DerivedValue[Processes]], Meeting] = meet_at_first_node,
) -> Plan:
    """Set the nodes, and PET_* in the injection targets and, given a `spec.trainer`, in the `node` container."""
    plan = trainer_nodes(plan)
    processes = count(plan)
    rank, master = meeting(plan, processes)
    is_torchtune = torchtune.is_used(plan)  # its nodes meet at an address in the command
    writes = [*job_env((plan.trainer or {}).get("env"), (*TRAINER, "env")), *rank, *(() if is_torchtune else master)]
    plan = with_env(plan, writes)
    if is_torchtune and plan.container(trainer.ANCESTOR_TRAINER, trainer.NODE):
        arguments, because = torchtune.arguments(plan, processes.value, known)
        plan = plan._replace(
            command=DerivedValue([*trainer.TORCHTUNE_COMMAND, *arguments], (*because, *processes.because))
        )
    for _, job, name in _injection_targets(plan):
        target = _find_container(plan, job, name)
        if target is not None:
            plan = plan.with_jobset(upsert(plan.jobset, target, "env", [*rank, *master]))
    return plan


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
