"""The values that describe a launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_trainjob.kube.facts.resources import ResourceAmount
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.kube.launch.command_line import Flag
from kubectl_trainjob.kube.launch.flags import PER_DEVICE
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec, ReplicatedJob
from kubectl_trainjob.model.message import Message, plural, say
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body


class Setting(NamedTuple):
    """The source of a value: a variable, a flag of the command, or a generated file.

    `pointer` leads into generated object `nth`: to the entry of `env`, the item of the command, the file or field.
    """

    name: str
    pointer: Pointer
    nth: int = 0
    flag: Flag | None = None

    def in_command(self) -> str:
        """The words of the command that the setting is; "" for another setting."""
        if self.flag is not None:
            return str(self.flag)
        return self.name if {"command", "args"}.intersection(self.pointer) else ""


def setting_of(flag: Flag) -> Setting:
    """The setting that is a flag of the command."""
    return Setting(flag.written, flag.pointer, flag=flag)


@dataclass(frozen=True, slots=True, eq=False)
class PodProcesses:
    """How many processes start in each Pod of a replicatedJob: a number, or a word for torchrun.

    None without a `setting`, or if only the container knows. `flag` is the command's, also if it changes nothing.
    """

    value: int | str | None
    container: ContainerSpec | None
    setting: Setting | None = None
    flag: Flag | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ProcessCount:
    """The number of processes of the whole job, None if it is unknown before they start; `nodes` likewise.

    `setting` sets the number of nodes, or a flag that overrides it.
    """

    value: int | None
    formula: Message
    nodes: int | None = None
    setting: Setting | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Rendezvous:
    """The rendezvous address; the port is "" if nothing sets it."""

    address: str
    port: str
    setting: Setting


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """What `launcher` starts: the entry of `mlPolicy`, or "" if each Pod runs its command once.

    `processes` by the position of the replicatedJob; one without any has no part in the training. `hosts` are the
    lines of MPI's hostfile, None without one.
    """

    launcher: str
    processes: Mapping[int, PodProcesses] = field(default_factory=dict)
    total: ProcessCount | None = None
    rendezvous: Rendezvous | None = None
    hosts: tuple[str, ...] | None = None

    @property
    def starts_process_per_gpu(self) -> bool:
        """Whether there should be as many processes as GPUs."""
        return self.launcher in ("torch", "mpi", "xgboost")

    @property
    def reads_num_proc_per_node(self) -> bool:
        """Whether numProcPerNode has an effect."""
        return self.launcher in ("torch", "mpi", "flux")


class GeneratedObjects(NamedTuple):
    """The objects of one TrainJob, the JobSet first, and the JobSet's replicatedJobs."""

    objects: tuple[Body, ...]
    jobs: tuple[ReplicatedJob, ...]

    @property
    def name(self) -> str:
        """The name of the TrainJob and the JobSet."""
        return str(self.objects[0]["metadata"]["name"])

    def config_map(self, suffix: str) -> tuple[int, Mapping[str, str]] | None:
        """The position and data of the generated ConfigMap with this suffix."""
        for nth, body in enumerate(self.objects):
            if body["kind"] == "ConfigMap" and body["metadata"]["name"] == f"{self.name}{suffix}":
                return nth, body.get("data") or {}
        return None

    def nodes(self) -> Setting | None:
        """The field that sets the number of nodes."""
        node = next((job for job in self.jobs if job.name == NODE), None)
        return Setting("parallelism", node.in_job("spec", "parallelism")) if node else None


def process_count(
    nodes: int | None, each: int | str | None, setting: Setting | None, gpus: ResourceAmount | None = None
) -> ProcessCount:
    """The count for `nodes` with `each` processes; a word for torchrun counts the container's `gpus`."""
    if nodes is None or each is None:
        return times(nodes, None, None, setting)
    if isinstance(each, int):
        return times(nodes, each, nodes * each, setting)
    if each not in PER_DEVICE or gpus is None:
        formula = say("{} × {}, which torchrun decides in the container", plural(nodes, "node"), each)
        return ProcessCount(None, formula, nodes, setting)
    total, count = nodes * gpus.pieces, plural(gpus.pieces, "GPU")
    formula = say("{} × {} ({} → {}) = {}", plural(nodes, "node"), each, count, gpus.pieces, total)
    return ProcessCount(total, formula, nodes, setting)


def times(
    nodes: int | None, each: int | None, total: int | None, setting: Setting | None, unit: str = "process"
) -> ProcessCount:
    """The count `total` for `nodes`, None if it is unknown."""
    if nodes is None or total is None:
        return ProcessCount(None, say("unknown"), nodes, setting)
    formula = say("{} × {} = {}", plural(nodes, "node"), plural(each, unit), total) if each is not None else None
    return ProcessCount(total, formula or say("{}", total), nodes, setting)
