"""KTJ309: The processes of a node exchange data through `/dev/shm`: NCCL between GPUs, and PyTorch's data loaders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.node_counts import amounts, names_gpu
from kubectl_trainjob.kube.facts.trainer import INITIALIZERS
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit, Made
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import SHM_MISSING

_PATH = "/dev/shm"


def _find(job: LintedJob) -> Iterator[Hit]:
    for role in job.replicated_jobs:
        if role.ancestor not in INITIALIZERS.values() and not role.pod.get("hostIPC"):
            yield from _in_role(job, role)


def _in_role(job: LintedJob, role: ReplicatedJob) -> Iterator[Hit]:
    for index, container in enumerate(role.pod.get("containers") or ()):
        pointer = role.in_pod("containers", index)
        asked = _gpus(container)
        if asked is None or (asked[2] < 2 and role.pods < 2) or _has_memory(role, container):
            continue
        message = (
            f'container "{container["name"]}" of "{role.name}" holds GPUs and has 64 MiB of shared memory; mount an '
            f"emptyDir with `medium: Memory` at {_PATH}"
        )
        field, name, _ = asked
        related = (("the GPUs are asked for here", job.made((*pointer, "resources", field, name))),)
        yield Hit(message, _mount(pointer, container) or job.made((*pointer, "name")), related)


def _gpus(container: Mapping[str, Any]) -> tuple[str, str, int] | None:
    """(field, name, how many): the most that is asked for under a name of a GPU."""
    resources = container.get("resources") or {}
    found = [
        (*each[:2], each.pieces) for field in ("limits", "requests") for each in amounts(resources, field, names_gpu)
    ]
    most = max(found, key=lambda each: each[2], default=None)
    return most if most and most[2] > 0 else None


def _mounted(container: Mapping[str, Any]) -> tuple[int, str] | None:
    """The position and the volume of what is mounted there."""
    mounts = enumerate(container.get("volumeMounts") or ())
    return next(((index, each["name"]) for index, each in mounts if each["mountPath"].rstrip("/") == _PATH), None)


def _has_memory(role: ReplicatedJob, container: Mapping[str, Any]) -> bool:
    """Whether something is mounted that is not known to be a disk."""
    mounted = _mounted(container)
    volumes = {each["name"]: each for each in role.pod.get("volumes") or ()}
    volume = volumes.get(mounted[1], {}) if mounted else {}
    return mounted is not None and ("emptyDir" not in volume or (volume["emptyDir"] or {}).get("medium") == "Memory")


def _mount(pointer: tuple[str | int, ...], container: Mapping[str, Any]) -> Made | None:
    mounted = _mounted(container)
    return Made(0, (*pointer, "volumeMounts", mounted[0])) if mounted else None


CHECK = JobCheck(SHM_MISSING, _find)
