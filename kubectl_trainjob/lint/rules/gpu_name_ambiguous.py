"""KTJ306: Trainer takes every resource with "gpu" in its name for GPUs, and of several it counts the one that Go's
random order of a map gives first (2.0 counts none)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from kubectl_trainjob.kube.facts.devices import gpu_names, vendors, whole_gpus
from kubectl_trainjob.kube.facts.node_counts import Amount, amounts, gpu_count, names_gpu, possible_gpu_counts
from kubectl_trainjob.kube.facts.trainer import TORCHTUNE_COMMAND
from kubectl_trainjob.kube.launch.by_variables import PER_NODE
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.launches import CountedResources, counted
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import GPU_NAME_AMBIGUOUS
from kubectl_trainjob.model.source import Pointer

Outcome = Callable[[int], Hashable]
"""What becomes of a number of GPUs: two of them make no difference where this is the same."""


def _find(job: LintedJob) -> Iterator[Hit]:
    yield from list(_random(job)) or _of_two_vendors(job)


def _of_two_vendors(job: LintedJob) -> Iterator[Hit]:
    """Containers for which there is hardly a node, whatever is counted."""
    for replicated in job.replicated_jobs:
        for pointer, container in replicated.containers():
            asked = whole_gpus(container.get("resources") or {})
            if len(vendors(asked)) > 1:
                yield _impossible(job, pointer, asked)


def _impossible(job: LintedJob, container: Pointer, asked: list[Amount]) -> Hit:
    stated = (job.spec.get("trainer") or {}).get("resourcesPerNode") or {}
    # What a TrainJob adds to the runtime's is what its author wants to know of first.
    keys = sorted(asked, key=lambda each: each.name not in (stated.get(each.field) or {}))
    names = " and ".join(f'"{name}"' for name in sorted({each.name for each in asked}))
    message = f"one container asks for {names}, and waits for a node that has both; ask for one of them"
    first, *others = [job.made((*container, "resources", each.field, each.name), on="key") for each in keys]
    return Hit(message, first, tuple(("asks for GPUs, too", other) for other in others))


def _random(job: LintedJob) -> Iterator[Hit]:
    found = counted(job) if job.trainer != "2.0" else None
    if found is None or len(gpu_names(found.resources)) < 2:
        return
    counts = possible_gpu_counts(found.resources)
    setting, outcome = _outcome(job)
    if len({outcome(count) for count in counts}) > 1:
        yield _finding(found, counts, setting, can_be_stated=job.policy("torch") is not None or setting == "slots")


def _outcome(job: LintedJob) -> tuple[str, Outcome]:
    """What Trainer computes from the number of GPUs, and how. Mirrors its plugins (see `expand/passes`)."""
    trainer = job.spec.get("trainer")
    if job.policy("torch") is not None:
        return _torch(job)
    if job.policy("mpi") is not None:
        stated = (trainer or {}).get("numProcPerNode") or (job.policy("mpi") or {}).get("numProcPerNode", 1)
        is_counted = stated == 1 and (trainer or {}).get("numProcPerNode") is None
        return "slots", (lambda count: max(count, 1)) if is_counted else _same
    if job.policy("xgboost") is not None and trainer is not None:
        return "DMLC_NUM_WORKER", lambda count: max(count, 1)
    return "flux run -g", (lambda count: max(count, 0)) if job.policy("flux") is not None else _same


def _torch(job: LintedJob) -> tuple[str, Outcome]:
    trainer, policy = job.spec.get("trainer"), job.policy("torch") or {}
    stated = (trainer or {}).get("numProcPerNode", policy.get("numProcPerNode", "auto"))
    role = job.trainer_job()
    if (trainer or {}).get("command") == TORCHTUNE_COMMAND and role is not None and role.pods == 1 and stated != 1:
        return "the recipe of torchtune", lambda count: (count == 1, stated == "auto" and min(count, 2))
    is_read = trainer is not None or policy.get("envInjection")
    return PER_NODE, bool if stated == "auto" and is_read else _same


def _same(_count: int) -> Hashable:
    return None


def _finding(found: CountedResources, counts: set[int], setting: str, *, can_be_stated: bool) -> Hit:
    keys = [each for field in ("limits", "requests") for each in amounts(found.resources, field, names_gpu)]
    names = " or ".join(f'"{name}"' for name in gpu_names(found.resources))
    numbers = " or ".join(map(str, sorted(counts)))
    ours = gpu_count(found.resources)
    message = (
        f"Trainer counts {names} at random, so that {setting} rests on {numbers} GPUs; this build counts "
        f'"{ours.amounts[0].name}", the first by name: {ours.number}; ask for one of them'
        f"{', or state numProcPerNode' if can_be_stated else ''}"
    )
    first, *others = [found.at(each.field, each.name) for each in keys]
    return Hit(message, first, tuple(("counts as GPUs, too", other) for other in others))


CHECK = JobCheck(GPU_NAME_AMBIGUOUS, _find)
