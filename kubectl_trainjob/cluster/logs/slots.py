"""Which Pod of a job has a rank, or an index of a role: pure functions over the JobSet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kubectl_trainjob.cluster.jobs.find import FoundJob
from kubectl_trainjob.kube.facts.resources import devices
from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.kube.launch.flags import PER_DEVICE
from kubectl_trainjob.kube.launch.inferred_launch import inferred_launch
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob, pods_of, replicated_jobs
from kubectl_trainjob.kube.launch.values import PodProcesses
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body

_GATHERED = {"mpi": (LAUNCHER, "mpirun"), "flux": (NODE, "flux run")}


@dataclass(frozen=True, slots=True)
class PodSlot:
    """A place for one Pod: in which Job, and at which index. `note` says whose output its log has."""

    job: str
    index: int
    is_indexed: bool = True
    note: str = ""


class NoSlotError(Exception):
    """The job has no such Pod; the message says which ones it has."""


class _RolePods(NamedTuple):
    """The Pods of one role, and how many ranks each of them has."""

    role: str
    slots: tuple[PodSlot, ...]
    ranks: int


def slot_of_rank(job: FoundJob, objects: Sequence[Body], rank: int) -> PodSlot:
    """The Pod of a rank; `objects` are the JobSet and its ConfigMaps. Raises NoSlotError."""
    if job.jobset is None:
        return _nth(_of_job(job), rank, "rank")
    launch = inferred_launch(objects)
    role, program = _GATHERED.get(launch.launcher, ("", ""))
    total = launch.total.value if launch.total else None
    if total is not None and rank >= total > 0:
        raise NoSlotError(f"rank {rank} does not exist; the job has the ranks 0 to {total - 1}")
    known = {each.role: each for each in _roles(job.jobset)}
    if role in known:
        return replace(known[role].slots[0], note=f"{program} writes the output of all ranks to this Pod")
    jobs = [each for each in replicated_jobs(job.jobset) if each.position in launch.processes]
    parts = [_RolePods(each.name, known[each.name].slots, _per_pod(launch.processes[each.position])) for each in jobs]
    return _with_rank(parts or list(known.values()), rank)


def slot_of_role(job: FoundJob, role: str, index: int) -> PodSlot:
    """A Pod of a role, counted over all Jobs of it. Raises NoSlotError."""
    parts = _roles(job.jobset) if job.jobset else [_of_job(job)]
    found = next((each for each in parts if each.role == role), None)
    if found is None:
        raise NoSlotError(f'role "{role}" does not exist; the roles are: {", ".join(each.role for each in parts)}')
    return _nth(found, index, "index")


def _with_rank(parts: Sequence[_RolePods], rank: int) -> PodSlot:
    left = rank
    for each in parts:
        size = len(each.slots) * each.ranks
        if left < size:
            slot = each.slots[left // each.ranks]
            first = rank - left % each.ranks
            note = f"the Pod has the ranks {first} to {first + each.ranks - 1}" if each.ranks > 1 else ""
            return replace(slot, note=note)
        left -= size
    raise NoSlotError(f"rank {rank} does not exist; the job has the ranks 0 to {rank - left - 1}")


def _nth(part: _RolePods, index: int, what: str) -> PodSlot:
    if index >= len(part.slots):
        raise NoSlotError(f'{what} {index} does not exist; "{part.role}" has 0 to {len(part.slots) - 1}')
    return part.slots[index]


def _per_pod(processes: PodProcesses) -> int:
    """How many ranks a Pod has; 1 if only the container knows."""
    if isinstance(processes.value, int):
        return max(processes.value, 1)
    gpus = devices(processes.container.resources) if processes.container else None
    return gpus.pieces if gpus and processes.value in PER_DEVICE else 1


def _roles(jobset: Body) -> list[_RolePods]:
    return [_RolePods(each.name, tuple(_slots(jobset, each)), 1) for each in replicated_jobs(jobset)]


def _slots(jobset: Body, job: ReplicatedJob) -> Iterator[PodSlot]:
    pods = pods_of(jobset, job)
    for replica in range(pods.replicas):
        for index in range(pods.size):
            yield PodSlot(f"{pods.jobset}-{job.name}-{replica}", index, pods.is_indexed)


def _of_job(job: FoundJob) -> _RolePods:
    spec = value_at(job.run, ("spec",)) or {}
    size = spec.get("completions") or spec.get("parallelism", 1)
    is_indexed = spec.get("completionMode") == "Indexed"
    return _RolePods(job.id.name, tuple(PodSlot(job.id.name, index, is_indexed) for index in range(size)), 1)
