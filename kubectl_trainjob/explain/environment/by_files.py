"""What launchers are told by files that Trainer makes: MPI's hostfile and Flux's entrypoint.

Read from what trainer `pkg/runtime/framework/plugins/{mpi,flux}` made (MPI 2.0-2.3, Flux 2.2-2.3).
"""

from __future__ import annotations

import re
from dataclasses import replace

from kubectl_trainjob.explain.environment.counting import reason, stated
from kubectl_trainjob.explain.environment.settings import Launch, Roles, plural, times
from kubectl_trainjob.explain.environment.values import Caution, Hostfile, Master, Processes, WorldSize
from kubectl_trainjob.kube.facts.jobset import job_template
from kubectl_trainjob.kube.facts.launchers import hosts, mpi_ranks
from kubectl_trainjob.kube.facts.trainer import FLUX_ENTRYPOINT_SUFFIX, HOSTFILE_SUFFIX, NODE
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import TracedJob

_FLAGS = re.compile(r'^ +flags="-N (-?[0-9]+) -n (-?[0-9]+)', re.MULTILINE)
_BROKER = re.compile(r'^mainHost="([^"]*)"', re.MULTILINE)
_BROKER_PORT = re.compile(r"^default_port = ([0-9]+)$", re.MULTILINE)


def hostfile_of(job: TracedJob) -> Hostfile | None:
    """MPI's hostfile, None for a job without one."""
    text = _text(job, HOSTFILE_SUFFIX, "hostfile")
    return None if text is None else Hostfile(_name(job, HOSTFILE_SUFFIX), tuple(text.splitlines()))


def _name(job: TracedJob, suffix: str) -> str:
    return f"{job.train_job.identity.name}{suffix}"


def _text(job: TracedJob, suffix: str, key: str) -> str | None:
    made = _made(job, suffix)
    text: str | None = made.get("data", key) if made else None
    return text


def _made(job: TracedJob, suffix: str) -> Draft | None:
    """A ConfigMap that is made for the job."""
    identities = {(each.identity.kind, each.identity.name): each.draft for each in job.objects}
    return identities.get(("ConfigMap", _name(job, suffix)))


def mpi(job: TracedJob, roles: Roles) -> Launch:
    """Open MPI: as many processes on a host as it has slots; the launcher is a host where the hostfile has it."""
    hostfile, made = hostfile_of(job), _made(job, HOSTFILE_SUFFIX)
    listed = hosts(hostfile.lines if hostfile else ())
    slots = [each.slots for each in listed]
    if not slots or made is None:
        return Launch()
    origin = made.origin(("data", "hostfile"))
    why, place, is_counted = reason(job, origin.causes if origin else (), slots[0])
    names = {each.name.partition(".")[0] for each in listed}
    processes = {
        role.name: Processes(slots[0], why, place, "slots", role.container(NODE), is_counted, uses_gpus=True)
        for role in roles
        if role.pods.hostname(0, 0) in names
    }
    world = replace(times(len(slots), slots[0], sum(slots), "slot"), place=_nodes_place(job, roles))
    return _as_mpirun_says(job, roles, Launch(processes, world), slots)


def _as_mpirun_says(job: TracedJob, roles: Roles, launch: Launch, slots: list[int]) -> Launch:
    """The same, where mpirun's own flags say how many processes start, and not the hostfile."""
    found = ((container, mpi_ranks(container)) for role in roles for container in role.containers)
    container, ranks = next(((container, ranks) for container, ranks in found if ranks), (None, None))
    if container is None or ranks is None:
        return launch
    total = ranks.each * len(slots) if ranks.each is not None else ranks.total
    if total == sum(slots):
        return launch
    why = f"{ranks.flag} in the command"
    origin = job.objects[0].draft.origin(ranks.flag.pointer)
    place = origin.first_place() if origin else None
    processes = {
        name: replace(each, value=ranks.each, why=why, place=place, setting=ranks.flag.spelled, is_counted=False)
        for name, each in launch.processes.items()
    }
    world = WorldSize(total, why if total is not None else f"the command decides: {ranks.flag}", len(slots), place)
    message = f"{why} counts, not the hostfile's {plural(sum(slots), 'slot')}; remove the flag"
    return Launch(processes, world, launch.master, (Caution(message, place),))


def _nodes_place(job: TracedJob, roles: Roles) -> Place | None:
    """The line that states how many nodes there are."""
    node = next((role for role in roles if role.name == NODE), None)
    origin = job.objects[0].draft.origin((*job_template(node.position), "spec", "parallelism")) if node else None
    return origin.first_place() if origin else None


def flux(job: TracedJob, roles: Roles) -> Launch:
    """Flux: the entrypoint of the first node runs the command as so many tasks on so many nodes."""
    entrypoint = _text(job, FLUX_ENTRYPOINT_SUFFIX, "entrypoint.sh") or ""
    flags = _FLAGS.search(entrypoint)
    role = next((each for each in roles if each.name == NODE), None)
    if flags is None or role is None:
        return Launch()
    nodes, tasks = int(flags[1]), int(flags[2])
    each = tasks // nodes if nodes else None
    why, place = stated(job, ("flux", "numProcPerNode"), each)
    processes = Processes(each, why, place, "flux run -n", role.container(NODE))
    world = replace(times(nodes, each, tasks), place=_nodes_place(job, roles))
    return Launch({role.name: processes}, world, _broker(job, entrypoint))


def _broker(job: TracedJob, entrypoint: str) -> Master | None:
    """The node that runs the command; the Service is named after the job, whatever the JobSet's network says."""
    host = _BROKER.search(entrypoint)
    port = _BROKER_PORT.search(_text(job, FLUX_ENTRYPOINT_SUFFIX, "init.sh") or "")
    if host is None:
        return None
    name = job.train_job.identity.name
    place = job.resolved.job.manifest.place("metadata", "name") if job.resolved else None
    return Master(f"{host[1]}.{name}", port[1] if port else "", "the broker", place=place)
