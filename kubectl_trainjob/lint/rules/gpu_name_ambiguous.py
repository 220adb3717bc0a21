"""KTJ306: Trainer counts every resource with "gpu" in its name as GPUs. Of several it counts the first one in the order
of a Go map, which is undefined (2.0 counts none)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from kubectl_trainjob.kube.facts.resources import (
    ResourceAmount,
    amounts,
    gpu_count,
    gpu_names,
    names_gpu,
    possible_gpu_counts,
    vendors,
    whole_gpus,
)
from kubectl_trainjob.kube.facts.trainer import TORCHTUNE_COMMAND
from kubectl_trainjob.kube.launch.flags import PER_NODE
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import CountedResources, counted_resources
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import joined, listed, say
from kubectl_trainjob.model.source import Pointer

_ONE_NODE = "the container requests {}, and waits for a node that has both; request one of them"
_UNDEFINED = (
    "Trainer counts one of {} as GPUs, in undefined order, and {} depends on it: {} GPUs; "
    'this build counts "{}", the first by name: {}; request one resource'
)

Outcome = Callable[[int], Hashable]
"""What Trainer computes from a number of GPUs."""


def find(job: LintedJob) -> Iterator[Hit]:
    """Numbers that depend on this order; containers with GPUs of two vendors."""
    yield from list(_undefined_names(job)) or _of_two_vendors(job)


def _of_two_vendors(job: LintedJob) -> Iterator[Hit]:
    """Containers that hardly any node can run, even if the count is defined."""
    for replicated in job.replicated_jobs:
        for pointer, container in replicated.containers():
            requested = whole_gpus(container.get("resources") or {})
            if len(vendors(requested)) > 1:
                yield _impossible(job, pointer, requested)


def _impossible(job: LintedJob, container: Pointer, requested: list[ResourceAmount]) -> Hit:
    own = (job.spec.get("trainer") or {}).get("resourcesPerNode") or {}
    # First what the TrainJob adds to the runtime's.
    keys = sorted(requested, key=lambda each: each.name not in (own.get(each.field) or {}))
    message = say(_ONE_NODE, listed(sorted({each.name for each in requested})))
    first, *others = [job.generated((*container, "resources", each.field, each.name), on="key") for each in keys]
    return Hit(message, first, tuple((say("also requests GPUs"), other) for other in others))


def _undefined_names(job: LintedJob) -> Iterator[Hit]:
    found = counted_resources(job) if job.trainer != "2.0" else None
    if found is None or len(gpu_names(found.resources)) < 2:
        return
    counts = possible_gpu_counts(found.resources)
    setting, outcome = _outcome(job)
    if len({outcome(count) for count in counts}) > 1:
        yield _hit(found, counts, setting, can_be_set=job.policy("torch") is not None or setting == "slots")


def _outcome(job: LintedJob) -> tuple[str, Outcome]:
    """What Trainer computes from the number of GPUs, and how. Mirrors its plugins (see `expand/passes`)."""
    trainer = job.spec.get("trainer")
    if job.policy("torch") is not None:
        return _torch(job)
    if job.policy("mpi") is not None:
        processes = (trainer or {}).get("numProcPerNode") or (job.policy("mpi") or {}).get("numProcPerNode", 1)
        is_counted = processes == 1 and (trainer or {}).get("numProcPerNode") is None
        return "slots", (lambda count: max(count, 1)) if is_counted else _same
    if job.policy("xgboost") is not None and trainer is not None:
        return "DMLC_NUM_WORKER", lambda count: max(count, 1)
    return "flux run -g", (lambda count: max(count, 0)) if job.policy("flux") is not None else _same


def _torch(job: LintedJob) -> tuple[str, Outcome]:
    trainer, policy = job.spec.get("trainer"), job.policy("torch") or {}
    processes = (trainer or {}).get("numProcPerNode", policy.get("numProcPerNode", "auto"))
    role = job.trainer_job()
    if (trainer or {}).get("command") == TORCHTUNE_COMMAND and role is not None and role.pods == 1 and processes != 1:
        return say("the recipe of torchtune"), lambda count: (count == 1, processes == "auto" and min(count, 2))
    is_read = trainer is not None or policy.get("envInjection")
    return PER_NODE, bool if processes == "auto" and is_read else _same


def _same(_count: int) -> Hashable:
    return None


def _hit(found: CountedResources, counts: set[int], setting: str, *, can_be_set: bool) -> Hit:
    keys = [each for field in ("limits", "requests") for each in amounts(found.resources, field, names_gpu)]
    numbers = joined((say("{}", count) for count in sorted(counts)), last=" or ")
    ours = gpu_count(found.resources)
    names = listed(gpu_names(found.resources), "or")
    message = say(_UNDEFINED, names, setting, numbers, ours.amounts[0].name, ours.number)
    message = say("{}, or set numProcPerNode", message) if can_be_set else message
    first, *others = [found.at(each.field, each.name) for each in keys]
    return Hit(message, first, tuple((say("also counts as GPUs"), other) for other in others))
