"""Where numbers and names disagree: what Kubernetes and Trainer accept, and hardly anybody wants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.explain.environment.counting import resource_place
from kubectl_trainjob.explain.environment.settings import Launch, plural
from kubectl_trainjob.explain.environment.values import Caution, Hostfile, Processes, Role
from kubectl_trainjob.explain.environment.variable_references import unresolved
from kubectl_trainjob.kube.facts.devices import devices, gpu_names, uncounted
from kubectl_trainjob.kube.facts.launchers import number
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import TracedJob

Roles = tuple[Role, ...]


def cautions_of(job: TracedJob, roles: Roles, launch: Launch, hostfile: Hostfile | None) -> Iterator[Caution]:
    """All of them: what the commands say, then in the order of the roles."""
    yield from launch.cautions
    for role in roles:
        processes = launch.processes.get(role.name)
        if processes is not None:
            yield from _unset(job, processes)
            yield from _processes_and_devices(job, role, processes)
            yield from _nodes_and_pods(role, processes)
        yield from _overwritten(role)
        for container in role.containers:
            yield from unresolved(job, container)
    yield from _ignored(job, launch)
    yield from _nodes_and_hosts(job, hostfile)
    yield from _unreachable(job, roles, launch, hostfile)


def _ignored(job: TracedJob, launch: Launch) -> Iterator[Caution]:
    """numProcPerNode in a job whose launcher does not read it."""
    first = next(iter(launch.processes.values()), None)
    stated = _stated(job, "numProcPerNode")
    if job.resolved is None or first is None or first.can_be_stated or stated in (None, first.value):
        return
    place = job.resolved.job.manifest.place("spec", "trainer", "numProcPerNode")
    started = f"{_are(first.value)} started on a node ({first.why})"
    yield Caution(f"numProcPerNode {stated} is ignored: {started}; remove it", place)


def _nodes_and_hosts(job: TracedJob, hostfile: Hostfile | None) -> Iterator[Caution]:
    """With MPI's launcher as a node there is always another one, where the runtime has such a role."""
    stated = _stated(job, "numNodes")
    if job.resolved is None or hostfile is None or not hostfile.lines or stated in (None, len(hostfile.lines)):
        return
    place = job.resolved.job.manifest.place("spec", "trainer", "numNodes")
    hosts = plural(len(hostfile.lines), "node")
    message = f"numNodes is {stated}, but {hosts} take part; state {len(hostfile.lines)}, or use another runtime"
    yield Caution(message, place)


def _stated(job: TracedJob, field: str) -> Any:
    """A number of the TrainJob's trainer, None where it states none."""
    return (job.resolved.job.body["spec"].get("trainer") or {}).get(field) if job.resolved else None


def _unset(job: TracedJob, processes: Processes) -> Iterator[Caution]:
    if processes.value is None and not processes.setting and job.resolved is not None:
        place = job.resolved.job.manifest.place("spec").key()
        yield Caution(f"{processes.why}; write `trainer: {{}}` at least", place)


def _processes_and_devices(job: TracedJob, role: Role, processes: Processes) -> Iterator[Caution]:
    container = processes.container
    if container is None or not processes.uses_gpus:
        return
    names, held, other = gpu_names(container.resources), devices(container.resources), uncounted(container.resources)
    whose = f'container "{container.name}" of "{role.name}"'
    stated = "state numProcPerNode" if processes.can_be_stated else "ask for one that it counts"
    started = f"{_are(processes.value)} started on a node ({processes.why})"
    if len(names) > 1 and processes.is_counted:
        message = f"{whose} asks for {', '.join(names)}, and Trainer counts any one of them; {stated}"
        yield Caution(message, processes.place)
    elif held is not None and isinstance(processes.value, int) and processes.value != held.pieces:
        yield Caution(f"{whose} asks for {held}, but {started}; {_advice(processes)}", processes.place)
    elif not names and other is not None and processes.is_counted:
        message = f"{whose} asks for {other}, which Trainer does not count: {started}; {stated}"
        yield Caution(message, resource_place(job, container, other) or processes.place)


def _advice(processes: Processes) -> str:
    if not processes.is_counted:
        return "make the two agree"
    advice = "state the GPUs in resourcesPerNode"
    return f"{advice}, or numProcPerNode" if processes.can_be_stated else advice


def _are(processes: int | str | None) -> str:
    if isinstance(processes, int):
        return f"{plural(processes, 'process')} {'is' if processes == 1 else 'are'}"
    return f'"{processes}" processes are'


def _nodes_and_pods(role: Role, processes: Processes) -> Iterator[Caution]:
    nodes = number(processes.container.value("PET_NNODES")) if processes.container else None
    if nodes is not None and nodes != role.pods.count:
        variable = processes.container.variable("PET_NNODES") if processes.container else None
        message = f'PET_NNODES is {nodes}, but "{role.name}" has {plural(role.pods.count, "Pod")}'
        yield Caution(message, variable.place if variable else None)


def _overwritten(role: Role) -> Iterator[Caution]:
    for container in role.containers:
        for variable in container.variables:
            former = variable.instead_of
            if former is not None:
                lost = f'"{former.entry["value"]}"' if "value" in former.entry else "what stands"
                author, advice = ("env", "one of the two") if variable.is_copied else ("Trainer", "the entry")
                yield Caution(f"{lost} here is lost: {author} sets {variable.name}; remove {advice}", former.place)


def _unreachable(job: TracedJob, roles: Roles, launch: Launch, hostfile: Hostfile | None) -> Iterator[Caution]:
    """A meeting point or a host that no Pod of the job is found under."""
    jobset = job.objects[0].draft
    if launch.world is None or not launch.world.nodes or launch.world.nodes < 0:
        return
    named = {} if launch.master is None or launch.master.is_copied else {launch.master.address: launch.master.setting}
    if hostfile is not None:
        named |= {line.partition(" ")[0]: "the hostfile" for line in hostfile.lines[:1]}
    for address, setting in named.items():
        if not any(role.pods.has(address) for role in roles):
            why, place = _why_unreachable(job, jobset)
            yield Caution(f'{setting} names "{address}", which is no Pod\'s name: {why}', place)


def _why_unreachable(job: TracedJob, jobset: Draft) -> tuple[str, Place | None]:
    network = jobset.get("spec", "network") or {}
    job_place = job.resolved.job.manifest.place("spec", "runtimeRef", "name") if job.resolved else None
    if network.get("enableDNSHostnames") is False:
        return "network.enableDNSHostnames is false, so Pods have none", _network_place(jobset, "enableDNSHostnames")
    if network.get("subdomain"):
        return f'they end in ".{network["subdomain"]}", the subdomain', _network_place(jobset, "subdomain")
    return "the runtime has no such replicatedJob, or its Jobs are not Indexed", job_place


def _network_place(jobset: Draft, field: str) -> Place | None:
    origin = jobset.origin(("spec", "network", field))
    return origin.first_place() if origin else None
