"""Launchers that read files which Trainer generates: MPI's hostfile and Flux's entrypoint.

Read from what trainer `pkg/runtime/framework/plugins/{mpi,flux}` generated (MPI 2.0-2.3, Flux 2.2-2.3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from kubectl_trainjob.kube.facts.trainer import FLUX_ENTRYPOINT_SUFFIX, HOSTFILE_SUFFIX, NODE
from kubectl_trainjob.kube.launch.flags import Host, Ranks, hosts, mpi_ranks
from kubectl_trainjob.kube.launch.pods import pods_of
from kubectl_trainjob.kube.launch.values import (
    GeneratedObjects,
    Launch,
    PodProcesses,
    ProcessCount,
    Rendezvous,
    Setting,
    setting_of,
    times,
)

BROKER = "the broker"
_FLAGS = re.compile(r'^ +flags="-N (-?[0-9]+) -n (-?[0-9]+)', re.MULTILINE)
_BROKER = re.compile(r'^mainHost="([^"]*)"', re.MULTILINE)
_BROKER_PORT = re.compile(r"^default_port = ([0-9]+)$", re.MULTILINE)


def mpi(generated: GeneratedObjects) -> Launch:
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
    total = times(len(listed), slots, _slots(listed), _nodes(generated), "slot")
    return _overridden(generated, Launch("mpi", processes, total, hosts=lines))


def _slots(listed: list[Host]) -> int:
    return sum(each.slots for each in listed)


def _overridden(generated: GeneratedObjects, launch: Launch) -> Launch:
    """The same, with the flags of the mpirun that is found first: they override the hostfile."""
    containers = (container for job in generated.jobs for container in job.containers())
    ranks = next(filter(None, map(mpi_ranks, containers)), None)
    if ranks is None or launch.total is None:
        return launch
    processes = {position: replace(each, flag=ranks.flag) for position, each in launch.processes.items()}
    nodes = launch.total.nodes
    total = ranks.each * nodes if ranks.each is not None and nodes is not None else ranks.total
    if total == launch.total.value:
        return replace(launch, processes=processes)
    return _counted_by(ranks, total, replace(launch, processes=processes))


def _counted_by(ranks: Ranks, total: int | None, launch: Launch) -> Launch:
    setting = setting_of(ranks.flag)
    why = f"the command decides: {ranks.flag}" if total is None else f"{ranks.flag} in the command"
    processes = {
        position: replace(each, value=ranks.each, setting=setting) for position, each in launch.processes.items()
    }
    nodes = launch.total.nodes if launch.total else None
    return replace(launch, processes=processes, total=ProcessCount(total, why, nodes, setting))


def _nodes(generated: GeneratedObjects) -> Setting | None:
    """The field that sets the number of nodes."""
    node = next((job for job in generated.jobs if job.name == NODE), None)
    return Setting("parallelism", node.in_job("spec", "parallelism")) if node else None


def flux(generated: GeneratedObjects) -> Launch:
    """Flux: the entrypoint of the first node runs the command as a number of tasks on a number of nodes."""
    _, data = generated.config_map(FLUX_ENTRYPOINT_SUFFIX) or (0, {})
    entrypoint = data.get("entrypoint.sh", "")
    flags = _FLAGS.search(entrypoint)
    job = next((each for each in generated.jobs if each.name == NODE), None)
    if flags is None or job is None:
        return Launch("flux")
    nodes, tasks = int(flags[1]), int(flags[2])
    each = tasks // nodes if nodes else None
    processes = PodProcesses(each, job.node(), Setting("flux run -n", ()))
    total = times(nodes, each, tasks, _nodes(generated))
    return Launch("flux", {job.position: processes}, total, _broker(generated.name, entrypoint, data))


def _broker(name: str, entrypoint: str, data: Mapping[str, str]) -> Rendezvous | None:
    """The node that runs the command; the Service has the job's name, whatever the JobSet's network says."""
    host = _BROKER.search(entrypoint)
    port = _BROKER_PORT.search(data.get("init.sh", ""))
    if host is None:
        return None
    return Rendezvous(f"{host[1]}.{name}", port[1] if port else "", Setting(BROKER, ("metadata", "name")))
