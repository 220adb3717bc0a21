"""KTJ309: The processes of a node exchange data through `/dev/shm`: NCCL between GPUs, and PyTorch's data loaders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.resources import amounts, names_gpu
from kubectl_trainjob.kube.facts.trainer import INITIALIZERS
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say

_PATH = "/dev/shm"
_MISSING = (
    'container "{}" of "{}" uses GPUs and has 64 MiB of shared memory; '
    "mount an emptyDir with `medium: Memory` at /dev/shm"
)


def find(job: LintedJob) -> Iterator[Hit]:
    """Containers with several GPUs, or in several Pods, that have the default size of 64 MiB."""
    for role in job.replicated_jobs:
        if role.ancestor not in INITIALIZERS.values() and not role.pod.get("hostIPC"):
            yield from _in_role(job, role)


def _in_role(job: LintedJob, role: ReplicatedJob) -> Iterator[Hit]:
    for index, container in enumerate(role.pod.get("containers") or ()):
        pointer = role.in_pod("containers", index)
        requested = _gpus(container)
        if requested is not None and max(requested[2], role.pods) > 1 and not _has_memory(role, container):
            field, name, _ = requested
            related = ((say("the GPUs are requested here"), job.generated((*pointer, "resources", field, name))),)
            mounted = _shm_mount(container)
            at = (*pointer, "volumeMounts", mounted[0]) if mounted else (*pointer, "name")
            yield Hit(say(_MISSING, container["name"], role.name), job.generated(at), related)


def _gpus(container: Mapping[str, Any]) -> tuple[str, str, int] | None:
    """(field, name, number): the largest request for GPUs of one name."""
    resources = container.get("resources") or {}
    found = [
        (*each[:2], each.pieces) for field in ("limits", "requests") for each in amounts(resources, field, names_gpu)
    ]
    most = max(found, key=lambda each: each[2], default=None)
    return most if most and most[2] > 0 else None


def _shm_mount(container: Mapping[str, Any]) -> tuple[int, str] | None:
    """The position and the volume of the mount."""
    mounts = enumerate(container.get("volumeMounts") or ())
    return next(((index, each["name"]) for index, each in mounts if each["mountPath"].rstrip("/") == _PATH), None)


def _has_memory(role: ReplicatedJob, container: Mapping[str, Any]) -> bool:
    """Whether something is mounted that is not known to be a disk."""
    mounted = _shm_mount(container)
    volumes = {each["name"]: each for each in role.pod.get("volumes") or ()}
    volume = volumes.get(mounted[1], {}) if mounted else {}
    return mounted is not None and ("emptyDir" not in volume or (volume["emptyDir"] or {}).get("medium") == "Memory")
