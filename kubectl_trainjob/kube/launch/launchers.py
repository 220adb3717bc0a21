"""The launch of a TrainJob, by the launcher of its runtime.

Read from what trainer `pkg/runtime/framework/plugins/{torch,jax,xgboost,mpi,flux}` generated (2.0-2.3; JAX, XGBoost and
Flux since 2.2): environment variables, MPI's hostfile and Flux's entrypoint. Flags of a command override them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.kube.facts.resources import devices
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, HOSTFILE_SUFFIX, LAUNCHER, NODE
from kubectl_trainjob.kube.launch.accelerate import launch_flags, torchrun_of
from kubectl_trainjob.kube.launch.command_line import Word
from kubectl_trainjob.kube.launch.flags import (
    ADDRESS,
    NODES,
    PER_NODE,
    PORT,
    FlagValue,
    hosts,
    mpi_ranks,
    number,
    other_launcher,
)
from kubectl_trainjob.kube.launch.flux import flux_launch
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec, ReplicatedJob, pods_of, replicated_jobs
from kubectl_trainjob.kube.launch.values import (
    GeneratedObjects,
    Launch,
    PodProcesses,
    ProcessCount,
    Rendezvous,
    Setting,
    process_count,
    setting_of,
    times,
)
from kubectl_trainjob.model.message import plural, say
from kubectl_trainjob.model.stages import Body

_ENDPOINT = "PET_RDZV_ENDPOINT"
_RANGE = r"([0-9]{1,9}):([0-9]{1,9})"
_DECIDED_BY_COMMAND = "the command decides: {}"
_WORKERS = "DMLC_NUM_WORKER"


def launch_of(runtime_spec: Body, objects: Sequence[Body]) -> Launch:
    """What starts in the objects that are generated from a TrainJob, the JobSet first."""
    generated = GeneratedObjects(tuple(objects), replicated_jobs(objects[0]))
    policy = runtime_spec.get("mlPolicy") or {}
    launcher = next((kind for kind in _BY_POLICY if policy.get(kind) is not None), None)
    launch = _BY_POLICY[launcher](generated) if launcher else _no_launcher(generated)
    own = _own_launcher(generated.jobs, launcher)
    return launch if own is None or launch.total is None else _decided_by(own, launch)


def _own_launcher(jobs: Sequence[ReplicatedJob], launcher: str | None) -> Word | None:
    """The program that starts the training instead of the runtime's launcher."""
    if launcher not in ("torch", "mpi"):
        return None
    leading = (job for job in jobs if (job.name == LAUNCHER if launcher == "mpi" else job.ancestor == ANCESTOR_TRAINER))
    nodes = filter(None, (job.node() for job in leading))
    return next(filter(None, (other_launcher(node, launcher) for node in nodes)), None)


def _decided_by(own: Word, launch: Launch) -> Launch:
    """The same, with unknown numbers of processes: the program does not read what Trainer sets."""
    setting = Setting(own.text, own.pointer)
    processes = {position: replace(each, value=None, setting=setting) for position, each in launch.processes.items()}
    nodes = launch.total.nodes if launch.total else None
    total = ProcessCount(None, say(_DECIDED_BY_COMMAND, own.text), nodes, setting)
    return replace(launch, processes=processes, total=total)


def _no_launcher(generated: GeneratedObjects) -> Launch:
    """Each Pod runs its command once, which may itself be torchrun."""
    trainers = [job for job in generated.jobs if job.ancestor == ANCESTOR_TRAINER]
    if not trainers:
        return Launch("")
    processes = {job.position: PodProcesses(1, job.node()) for job in trainers}
    started = list(_started_by_command(trainers))
    if started:
        torch = _torch_launch("", started)
        return replace(torch, processes={**processes, **torch.processes})
    nodes = sum(pods_of(generated.objects[0], job).count for job in trainers)
    setting = Setting("parallelism", trainers[0].in_job("spec", "parallelism"))
    return Launch("", processes, process_count(nodes, 1, setting))


class _LauncherVariable(NamedTuple):
    """A container with a launcher's variable."""

    job: ReplicatedJob
    container: ContainerSpec
    setting: Setting


def _variables(generated: GeneratedObjects, name: str) -> Iterator[_LauncherVariable]:
    """The first container of each replicatedJob that has the variable, that of the trainer first."""
    for job in sorted(generated.jobs, key=lambda each: each.ancestor != ANCESTOR_TRAINER):
        for container in sorted(job.containers(), key=lambda each: (each.is_init, each.name != NODE)):
            pointer = container.variable(name)
            if pointer is not None:
                yield _LauncherVariable(job, container, Setting(name, pointer))
                break


def _started_by_command(jobs: Sequence[ReplicatedJob]) -> Iterator[_LauncherVariable]:
    """The containers that run torchrun, with their variable or else the word that starts it."""
    for job in jobs:
        node = job.node()
        word = torchrun_of(node) if node else None
        if node is not None and word is not None:
            yield _LauncherVariable(job, node, _variable(node, PER_NODE) or Setting(word.text, word.pointer))


def _unset(launcher: str, generated: GeneratedObjects) -> Launch:
    """A launch with unknown processes, because the launcher's variable is not set."""
    trainers = (job for job in generated.jobs if job.ancestor == ANCESTOR_TRAINER)
    return Launch(launcher, {job.position: PodProcesses(None, job.node()) for job in trainers})


def _torch(generated: GeneratedObjects) -> Launch:
    """torchrun: PET_* in the trainer's container and in those of envInjection, and torchrun's flags."""
    variables = list(_variables(generated, PER_NODE))
    return _torch_launch("torch", variables) if variables else _unset("torch", generated)


def _torch_launch(launcher: str, variables: Sequence[_LauncherVariable]) -> Launch:
    flags = [launch_flags(variable.container) for variable in variables]
    processes = {
        variable.job.position: _torch_processes(variable, each) for variable, each in zip(variables, flags, strict=True)
    }
    first = variables[0]
    total = _torch_total(first.container, flags[0], processes[first.job.position].value)
    return Launch(launcher, processes, total, _torch_rendezvous(first.container, flags[0]))


def _torch_processes(variable: _LauncherVariable, flags: Mapping[str, FlagValue]) -> PodProcesses:
    found = flags.get(PER_NODE)
    text = _torch_value(variable.container, PER_NODE, found)
    value = number(text)
    setting = setting_of(found.flag) if found else variable.setting
    return PodProcesses(text if value is None else value, variable.container, setting, setting.flag)


def _torch_value(container: ContainerSpec, name: str, found: FlagValue | None) -> str | None:
    """The value of a flag, else of its variable; torchrun's default is 1, and `envFrom` may have any variable."""
    if found is not None:
        return found.value
    is_set = container.variable(name) is not None or container.body.get("envFrom")
    return container.value(name) if is_set else "1"


def _torch_total(container: ContainerSpec, flags: Mapping[str, FlagValue], each: int | str | None) -> ProcessCount:
    found = flags.get(NODES)
    text = _torch_value(container, NODES, found) or ""
    least, _, most = text.partition(":")
    nodes = number(least) if most in ("", least) else None
    setting = setting_of(found.flag) if found else _variable(container, NODES)
    elastic = re.fullmatch(_RANGE, text) if nodes is None else None
    if elastic is not None:
        return _elastic_count(int(elastic[1]), int(elastic[2]), each, setting)
    for given in (found, flags.get(PER_NODE)):
        if given is not None and given.value is None:
            return ProcessCount(None, say(_DECIDED_BY_COMMAND, str(given.flag)), nodes, setting)
    return process_count(nodes, each, setting, devices(container.resources))


def _elastic_count(least: int, most: int, each: int | str | None, setting: Setting | None) -> ProcessCount:
    """As many processes as nodes take part at a time."""
    if not isinstance(each, int):
        return ProcessCount(None, say("{} to {} nodes", least, most), None, setting)
    formula = say("{} to {} nodes × {} = {} to {}", least, most, plural(each, "process"), least * each, most * each)
    return ProcessCount(None, formula, None, setting)


def _torch_rendezvous(container: ContainerSpec, flags: Mapping[str, FlagValue]) -> Rendezvous | None:
    found, found_port = flags.get(ADDRESS), flags.get(PORT)
    port = (found_port.value if found_port else container.value(PORT)) or ""
    if found is not None:
        return Rendezvous("unknown" if found.value is None else found.value, port, setting_of(found.flag))
    endpoint = container.value(_ENDPOINT)
    if endpoint is not None:
        host, _, port = endpoint.rpartition(":")
        return _rendezvous(container, _ENDPOINT, host, port)
    return _rendezvous(container, ADDRESS, container.value(ADDRESS), port)


def _rendezvous(container: ContainerSpec, name: str, address: str | None, port: str) -> Rendezvous | None:
    setting = _variable(container, name)
    return Rendezvous(address, port, setting) if setting and address else None


def _variable(container: ContainerSpec, name: str) -> Setting | None:
    pointer = container.variable(name)
    return None if pointer is None else Setting(name, pointer)


def _jax(generated: GeneratedObjects) -> Launch:
    """JAX: one process in each Pod, which meet at the coordinator's address."""
    variable = next(_variables(generated, "JAX_NUM_PROCESSES"), None)
    if variable is None:
        return _unset("jax", generated)
    job, container, setting = variable
    host, _, port = (container.value("JAX_COORDINATOR_ADDRESS") or "").rpartition(":")
    return Launch(
        "jax",
        {job.position: PodProcesses(1, container, setting)},
        process_count(number(container.value(setting.name)), 1, setting),
        _rendezvous(container, "JAX_COORDINATOR_ADDRESS", host, port),
    )


def _xgboost(generated: GeneratedObjects) -> Launch:
    """XGBoost: as many workers as there are GPUs, else nodes."""
    variable = next(_variables(generated, _WORKERS), None)
    if variable is None:
        return _unset("xgboost", generated)
    job, container, setting = variable
    workers, nodes = number(container.value(_WORKERS)), pods_of(generated.objects[0], job).count
    each = workers // nodes if workers is not None and nodes and workers % nodes == 0 else None
    address, port = container.value("DMLC_TRACKER_URI"), container.value("DMLC_TRACKER_PORT") or ""
    return Launch(
        "xgboost",
        {job.position: PodProcesses(each, container, setting)},
        times(nodes, each, workers, setting),
        _rendezvous(container, "DMLC_TRACKER_URI", address, port),
    )


def _mpi(generated: GeneratedObjects) -> Launch:
    """Open MPI: as many processes on a host as it has slots; the launcher is a host if the hostfile lists it."""
    nth, data = generated.config_map(HOSTFILE_SUFFIX) or (0, {})
    lines = tuple(data["hostfile"].splitlines()) if "hostfile" in data else None
    listed = hosts(lines or ())
    if not listed:
        return Launch("mpi", hosts=lines)
    slots = listed[0].slots
    setting = Setting("slots", ("data", "hostfile"), nth)
    names = {each.name.partition(".")[0] for each in listed}
    processes = {
        job.position: PodProcesses(slots, job.node(), setting)
        for job in generated.jobs
        if pods_of(generated.objects[0], job).hostname(0, 0) in names
    }
    total = times(len(listed), slots, sum(each.slots for each in listed), generated.nodes(), "slot")
    return _overridden(generated, Launch("mpi", processes, total, hosts=lines))


def _overridden(generated: GeneratedObjects, launch: Launch) -> Launch:
    """The same, with the flags of the mpirun that is found first: they override the hostfile."""
    containers = (container for job in generated.jobs for container in job.containers())
    ranks = next(filter(None, map(mpi_ranks, containers)), None)
    if ranks is None or launch.total is None:
        return launch
    nodes, setting = launch.total.nodes, setting_of(ranks.flag)
    processes = {position: replace(each, flag=ranks.flag) for position, each in launch.processes.items()}
    total = ranks.each * nodes if ranks.each is not None and nodes is not None else ranks.total
    if total == launch.total.value:
        return replace(launch, processes=processes)
    template = _DECIDED_BY_COMMAND if total is None else "{} in the command"
    why = say(template, str(ranks.flag))
    processes = {position: replace(each, value=ranks.each, setting=setting) for position, each in processes.items()}
    return replace(launch, processes=processes, total=ProcessCount(total, why, nodes, setting))


_BY_POLICY: dict[str, Callable[[GeneratedObjects], Launch]] = {
    "torch": _torch,
    "mpi": _mpi,
    "jax": _jax,
    "xgboost": _xgboost,
    "flux": flux_launch,
}
