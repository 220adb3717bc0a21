"""Launchers that read environment variables, and flags that override these.

Read from what trainer `pkg/runtime/framework/plugins/{torch,jax,xgboost}` wrote (2.0-2.3), torchtune's command line
included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubectl_trainjob.kube.facts.devices import devices
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.kube.launch.flags import FlagValue, number, torch_flags
from kubectl_trainjob.kube.launch.pods import pods_of
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec, ReplicatedJob
from kubectl_trainjob.kube.launch.values import (
    GeneratedObjects,
    Launch,
    PodProcesses,
    ProcessCount,
    Rendezvous,
    Setting,
    setting_of,
    size,
    times,
)

NODES, PER_NODE = "PET_NNODES", "PET_NPROC_PER_NODE"
ADDRESS, PORT = "PET_MASTER_ADDR", "PET_MASTER_PORT"
_WORKERS = "DMLC_NUM_WORKER"

Flags = Mapping[str, FlagValue]


class _Reader(NamedTuple):
    """A container with a launcher's variable."""

    job: ReplicatedJob
    container: ContainerSpec
    setting: Setting


def _readers(generated: GeneratedObjects, name: str) -> Iterator[_Reader]:
    """The first container of each replicatedJob that has the variable, that of the trainer first."""
    for job in sorted(generated.jobs, key=lambda each: each.ancestor != ANCESTOR_TRAINER):
        for container in sorted(job.containers(), key=lambda each: (each.is_init, each.name != NODE)):
            pointer = container.variable(name)
            if pointer is not None:
                yield _Reader(job, container, Setting(name, pointer))
                break


def _unset(launcher: str, generated: GeneratedObjects) -> Launch:
    """Nothing sets the launcher's variable."""
    trainers = (job for job in generated.jobs if job.ancestor == ANCESTOR_TRAINER)
    return Launch(launcher, {job.position: PodProcesses(None, job.node()) for job in trainers})


def torch(generated: GeneratedObjects) -> Launch:
    """torchrun: PET_* in the trainer's container and in those of envInjection, and torchrun's flags."""
    readers = list(_readers(generated, PER_NODE))
    if not readers:
        return _unset("torch", generated)
    flags = [torch_flags(reader.container) for reader in readers]
    processes = {
        reader.job.position: _torch_processes(reader, each) for reader, each in zip(readers, flags, strict=True)
    }
    first = readers[0]
    total = _torch_total(first.container, flags[0], processes[first.job.position].value)
    return Launch("torch", processes, total, _torch_rendezvous(first.container, flags[0]))


def _torch_processes(reader: _Reader, flags: Flags) -> PodProcesses:
    found = flags.get(PER_NODE)
    text = found.value if found else reader.container.value(PER_NODE)
    value = number(text)
    setting = setting_of(found.flag) if found else reader.setting
    return PodProcesses(text if value is None else value, reader.container, setting, setting.flag)


def _torch_total(container: ContainerSpec, flags: Flags, each: int | str | None) -> ProcessCount:
    found = flags.get(NODES)
    nodes = number(found.value if found else container.value(NODES))
    setting = setting_of(found.flag) if found else _variable(container, NODES)
    for given in (found, flags.get(PER_NODE)):
        if given is not None and given.value is None:
            return ProcessCount(None, f"the command decides: {given.flag}", nodes, setting)
    return size(nodes, each, setting, devices(container.resources))


def _torch_rendezvous(container: ContainerSpec, flags: Flags) -> Rendezvous | None:
    found, found_port = flags.get(ADDRESS), flags.get(PORT)
    port = (found_port.value if found_port else container.value(PORT)) or ""
    if found is not None:
        return Rendezvous("unknown" if found.value is None else found.value, port, setting_of(found.flag))
    return _rendezvous(container, ADDRESS, container.value(ADDRESS), port)


def _rendezvous(container: ContainerSpec, name: str, address: str | None, port: str) -> Rendezvous | None:
    setting = _variable(container, name)
    return Rendezvous(address, port, setting) if setting and address else None


def _variable(container: ContainerSpec, name: str) -> Setting | None:
    pointer = container.variable(name)
    return None if pointer is None else Setting(name, pointer)


def jax(generated: GeneratedObjects) -> Launch:
    """JAX: one process in each Pod, which meet at the coordinator's address."""
    reader = next(_readers(generated, "JAX_NUM_PROCESSES"), None)
    if reader is None:
        return _unset("jax", generated)
    job, container, setting = reader
    host, _, port = (container.value("JAX_COORDINATOR_ADDRESS") or "").rpartition(":")
    return Launch(
        "jax",
        {job.position: PodProcesses(1, container, setting)},
        size(number(container.value(setting.name)), 1, setting),
        _rendezvous(container, "JAX_COORDINATOR_ADDRESS", host, port),
    )


def xgboost(generated: GeneratedObjects) -> Launch:
    """XGBoost: as many workers as there are GPUs, else nodes."""
    reader = next(_readers(generated, _WORKERS), None)
    if reader is None:
        return _unset("xgboost", generated)
    job, container, setting = reader
    workers, nodes = number(container.value(_WORKERS)), pods_of(generated.objects[0], job).count
    each = workers // nodes if workers is not None and nodes and workers % nodes == 0 else None
    address, port = container.value("DMLC_TRACKER_URI"), container.value("DMLC_TRACKER_PORT") or ""
    return Launch(
        "xgboost",
        {job.position: PodProcesses(each, container, setting)},
        times(nodes, each, workers, setting),
        _rendezvous(container, "DMLC_TRACKER_URI", address, port),
    )
