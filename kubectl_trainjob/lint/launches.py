"""The launch of a TrainJob, and the launch that a runtime is written for, as checks need them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.resources import Resources, names_gpu
from kubectl_trainjob.kube.facts.trainer import OVERRIDES
from kubectl_trainjob.kube.launch.accelerate import launch_flags
from kubectl_trainjob.kube.launch.command_line import Word
from kubectl_trainjob.kube.launch.flags import deepspeed, plain_python
from kubectl_trainjob.kube.launch.launchers import launch_of
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec, counted_node
from kubectl_trainjob.kube.launch.values import Launch, PodProcesses
from kubectl_trainjob.lint.check import At, GeneratedValue
from kubectl_trainjob.lint.views import LintedJob, LintedRuntime
from kubectl_trainjob.model.source import Place, value_at
from kubectl_trainjob.model.stages import Manifest

_RENDEZVOUS = {"torch": "PET_MASTER_ADDR", "jax": "JAX_COORDINATOR_ADDRESS", "xgboost": "DMLC_TRACKER_URI"}


def trainer_node(job: LintedJob) -> ContainerSpec | None:
    """The container that trains."""
    role = job.trainer_job()
    return role.node() if role else None


def trainer_pods(job: LintedJob) -> int:
    """The number of Pods that train."""
    role = job.trainer_job()
    return role.pods if role else 0


def launching_node(job: LintedJob) -> ContainerSpec | None:
    """The container that starts the training."""
    role = job.launcher()
    return role.node() if role else None


def rendezvous_variable(runtime: LintedRuntime) -> str | None:
    """The variable with the rendezvous address; None if Trainer sets none."""
    return next((name for kind, name in _RENDEZVOUS.items() if runtime.policy(kind) is not None), None)


def rendezvous_setting(runtime: LintedRuntime) -> str | None:
    """The same, but None if the runtime's command has another address, or nothing reads the variable."""
    name, trainer = rendezvous_variable(runtime), runtime.trainer_job()
    node = trainer.node() if trainer else None
    if name != "PET_MASTER_ADDR" or node is None or trainer is None:
        return name
    return None if name in launch_flags(node) or _has_one_process(runtime, node, trainer.pods) else name


def reads_no_variables(node: ContainerSpec) -> Word | None:
    """The Python that a container runs without a launcher and without passing PET_* on to it; else None."""
    python = plain_python(node)
    if python is None:
        return None
    return None if _passes_variables(node) else python


def local_deepspeed(node: ContainerSpec) -> Word | None:
    """The deepspeed that starts processes in its Pod only: it gets neither hosts nor PET_*."""
    command = deepspeed(node)
    return command.word if command and command.is_local and not _passes_variables(node) else None


def _passes_variables(node: ContainerSpec) -> bool:
    """Whether the program gets PET_*, or each Pod has the variables that torch reads without torchrun."""
    env = node.body.get("env") or ()
    values = (str(entry.get("value") or "") for entry in env)
    has_own = {entry["name"] for entry in env} >= {"MASTER_ADDR", "RANK", "WORLD_SIZE"}
    return has_own or any("PET_" in text for text in (*node.words, *values))


def _has_one_process(runtime: LintedRuntime, node: ContainerSpec, pods: int) -> bool:
    """Whether one Pod runs one process, as in KTJ406, for every TrainJob of the inputs that uses the runtime."""
    nodes = (runtime.spec.get("mlPolicy") or {}).get("numNodes") or 1
    processes = (runtime.policy("torch") or {}).get("numProcPerNode")
    return (
        nodes == pods == 1
        and (processes == 1 or not isinstance(processes, int))
        and _has_one_gpu(node.resources)
        and reads_no_variables(node) is not None
        and all(_keeps_one_process(job, node) for job in runtime.train_jobs())
    )


def _keeps_one_process(job: Manifest, node: ContainerSpec) -> bool:
    """The same of one TrainJob, as written: its types are not checked yet."""
    spec = job.body.get("spec")
    trainer = value_at(spec, ("trainer",)) or {}
    if not isinstance(spec, dict) or not OVERRIDES.isdisjoint(spec) or not isinstance(trainer, dict):
        return False
    own = {field: trainer[field] for field in ("command", "args") if trainer.get(field)}
    return (
        trainer.get("numNodes") in (None, 0, 1)
        and trainer.get("numProcPerNode") in (None, 1)
        and _has_one_gpu(trainer.get("resourcesPerNode"))
        and all(isinstance(words, list) and set(map(type, words)) == {str} for words in own.values())
        and reads_no_variables(node._replace(body={**node.body, **own})) is not None
        and "PET_" not in str(trainer.get("env"))
    )


def _has_one_gpu(resources: Any) -> bool:
    """Whether resources, of unchecked types, request no more than one GPU."""
    requested = (value_at(resources, (field,)) for field in ("limits", "requests"))
    amounts = (
        amount for each in requested if isinstance(each, dict) for name, amount in each.items() if names_gpu(str(name))
    )
    return all(str(amount) in ("0", "1") for amount in amounts)


class CountedResources(NamedTuple):
    """The resources that Trainer counts processes from, and their location."""

    resources: Resources
    base: At

    def at(self, field: str, name: str) -> At:
        """The key of one amount."""
        if isinstance(self.base, Place):
            return self.base.child(field, name).key()
        return GeneratedValue(self.base.nth, (*self.base.pointer, field, name), "key")


def counted_resources(job: LintedJob) -> CountedResources | None:
    """The TrainJob's resourcesPerNode, else those of the container that Trainer reads."""
    own = (job.spec.get("trainer") or {}).get("resourcesPerNode")
    if own is not None:
        return CountedResources(own, job.in_train_job("spec", "trainer", "resourcesPerNode"))
    node = counted_node(job.replicated_jobs)
    return CountedResources(node.resources, job.generated((*node.pointer, "resources"))) if node else None


class PodLaunch(NamedTuple):
    """The number of `processes` in each Pod with the container `node`, or a word for torchrun. `is_flag`: the command
    line sets it, which overrides other settings.
    """

    node: ContainerSpec
    processes: int | str
    setting: str
    at: At
    is_flag: bool = False


def pod_launches(job: LintedJob) -> Iterator[PodLaunch]:
    """The processes of each replicatedJob that trains, if their number is known and should be that of GPUs."""
    launch, trainer = launch_of(job.runtime_spec, job.objects), job.trainer_job()
    for position, processes in launch.processes.items() if launch.starts_process_per_gpu else ():
        each, node = _each(launch, processes), job.replicated_jobs[position].node()
        trains = launch.launcher == "mpi" or (trainer is not None and trainer.position == position)
        at = _location(job, launch, processes)
        if node is not None and node == processes.container and trains and each is not None and at is not None:
            flag, name = processes.flag, processes.setting.name if processes.setting else ""
            yield PodLaunch(node, each, flag.written if flag else name, at, flag is not None)


def _each(launch: Launch, processes: PodProcesses) -> int | str | None:
    """The processes of each Pod; of mpirun's total an equal share."""
    total = launch.total
    if processes.value is not None or launch.launcher != "mpi" or total is None:
        return processes.value
    has_shares = total.value is not None and total.nodes and total.value % total.nodes == 0
    return total.value // total.nodes if has_shares and total.value is not None and total.nodes else None


def _location(job: LintedJob, launch: Launch, processes: PodProcesses) -> At | None:
    if launch.launcher == "xgboost":
        resources = counted_resources(job)
        return resources.base if resources else None
    if processes.flag is not None:
        return job.generated(processes.flag.pointer)
    return job.generated(processes.setting.pointer, nth=processes.setting.nth) if processes.setting else None


class ProcessSetting(NamedTuple):
    """A number or word of processes that a user wrote, and its place."""

    value: int | str
    at: Place


def process_count_place(job: LintedJob) -> ProcessSetting | None:
    """The effective numProcPerNode of the TrainJob, or of the runtime for torch; None if Trainer counts."""
    own = (job.spec.get("trainer") or {}).get("numProcPerNode")
    if own is not None:
        return ProcessSetting(own, job.in_train_job("spec", "trainer", "numProcPerNode"))
    of_runtime = (job.policy("torch") or {}).get("numProcPerNode")
    place = job.in_runtime("spec", "mlPolicy", "torch", "numProcPerNode")
    return ProcessSetting(of_runtime, place) if isinstance(of_runtime, int) else None


def has_process_count(job: LintedJob) -> bool:
    """Whether a number of processes is set, so Trainer counts none."""
    return process_count_place(job) is not None
