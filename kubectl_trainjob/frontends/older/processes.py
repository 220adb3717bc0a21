"""The number of processes per node and elastic training, which left runtimes in 2.2."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.frontends.older.rewriting import JOBS, POD, Rewriting
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer, value_at

AUTO, CPU, GPU = "auto", "cpu", "gpu"
_TORCH: Pointer = ("spec", "mlPolicy", "torch")
_PROCESSES = "numProcPerNode"
_OF_JOB: Pointer = ("spec", "trainer", _PROCESSES)


def processes_of(value: Any) -> int | None:
    """A number of processes, None for words."""
    if isinstance(value, bool):
        return None
    text = str(value)
    return int(text) if text.isdecimal() and int(text) > 0 else None


def runtime_processes(work: Rewriting) -> None:
    """`torch.numProcPerNode` of a runtime; TrainJobs that refer to it get the number."""
    if not work.has(*_TORCH, _PROCESSES):
        return
    value = work.get(*_TORCH, _PROCESSES)
    work.drop(*_TORCH, _PROCESSES)
    if processes_of(value) is not None:
        if not work.is_used:
            message = say("no TrainJob here refers to this runtime; write numProcPerNode: {} in those that do", value)
            work.ask(message, *_TORCH, _PROCESSES, is_difference=True)
        return
    gpus = has_gpu(work.get(*JOBS))
    if value not in (None, AUTO, CPU, GPU):
        work.ask(say("numProcPerNode {} is not valid; set it in the TrainJobs", value), *_TORCH, _PROCESSES)
    elif value in (CPU, GPU) and (value == GPU) is not gpus:
        message = say('numProcPerNode "{}" was removed; set a number in the TrainJobs', value)
        work.ask(message, *_TORCH, _PROCESSES)


def has_gpu(replicated_jobs: object) -> bool:
    """Whether a container `node` of a runtime has GPUs."""
    jobs = replicated_jobs if isinstance(replicated_jobs, list) else []
    return any(_has_limit(value_at(container, ("resources", "limits"))) for job in jobs for container in _nodes(job))


def _nodes(job: object) -> list[object]:
    containers = value_at(job, (*POD, "containers"))
    found = containers if isinstance(containers, list) else []
    return [each for each in found if value_at(each, ("name",)) == trainer.NODE]


def _has_limit(limits: object) -> bool:
    return isinstance(limits, dict) and any("gpu" in str(name) for name in limits)


def elastic_policy(work: Rewriting) -> None:
    """`torch.elasticPolicy`, which no controller implemented."""
    policy = work.get(*_TORCH, "elasticPolicy")
    if not isinstance(policy, dict):
        return
    at = (*_TORCH, "elasticPolicy")
    least, most = policy.get("minNodes"), policy.get("maxNodes")
    if policy.get("metrics"):
        work.ask(say("metrics: nothing scales a TrainJob; remove elasticPolicy, and set numNodes"), *at, "metrics")
    elif least is not None and least == most and set(policy) <= {"minNodes", "maxNodes"}:
        work.put(("spec", "mlPolicy", "numNodes"), most, (*at, "maxNodes"))
        work.drop(*at)
    else:
        message = say(
            "no controller of Trainer implements elasticPolicy; set numNodes instead, or apply builds with "
            "`allow: {elastic: true}` in trainjob.yaml"
        )
        work.ask(message, *at)


def job_processes(work: Rewriting) -> None:
    """`trainer.numProcPerNode` of a TrainJob is a number; its runtime may have had one.

    Without `spec.trainer`, no version of Trainer sets the variables of torchrun.
    """
    value = work.get(*_OF_JOB)
    number = processes_of(value)
    if value is None:
        if work.runtime.processes is not None and work.get("spec", "trainer") is not None:
            work.put(_OF_JOB, work.runtime.processes, ("spec", "runtimeRef"))
    elif isinstance(value, str) and number is not None:
        work.put(_OF_JOB, number, _OF_JOB)
    elif value == AUTO:
        work.drop(*_OF_JOB)
    elif value in (CPU, GPU):
        _drop_word(work, value)
    elif number is None:
        work.ask(say("numProcPerNode {} is not a positive number; correct it", value), *_OF_JOB)


def _drop_word(work: Rewriting, value: str) -> None:
    gpus = work.runtime.has_gpu or _has_limit(work.get("spec", "trainer", "resourcesPerNode", "limits"))
    work.drop(*_OF_JOB)
    if gpus is not (value == GPU):
        message = say('numProcPerNode "{}" was removed; set a number if the default differs', value)
        work.ask(message, *_OF_JOB)
