"""Where numbers and names disagree: what Kubernetes and Trainer accept, and hardly anybody wants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_trainjob.explain.environment.counting import resource_place
from kubectl_trainjob.explain.environment.overriding import overridden
from kubectl_trainjob.explain.environment.processes import LaunchOrigins
from kubectl_trainjob.explain.environment.values import Caution, Environment, Hostfile, Processes, Role
from kubectl_trainjob.explain.environment.variable_references import unresolved
from kubectl_trainjob.kube.facts.devices import devices, gpu_names, uncounted
from kubectl_trainjob.kube.launch.by_variables import NODES
from kubectl_trainjob.kube.launch.flags import number
from kubectl_trainjob.kube.launch.values import plural
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import TracedJob


def cautions_of(of: Environment, origins: LaunchOrigins) -> Iterator[Caution]:
    """All of them: those of the commands, then in the order of the roles."""
    job = origins.job
    yield from overridden(origins)
    for role in of.roles:
        if role.processes is not None:
            yield from _unset(job, role.processes)
            yield from _processes_and_devices(job, role, role.processes)
            yield from _nodes_and_pods(role, role.processes)
        yield from _overwritten(role)
        for container in role.containers:
            yield from unresolved(job, container)
    yield from _ignored(job, of.roles)
    yield from _nodes_and_hosts(job, of.hostfile)
    yield from _unreachable(job, of)


def _ignored(job: TracedJob, roles: Iterable[Role]) -> Iterator[Caution]:
    """numProcPerNode in a job whose launcher does not read it."""
    first = next((role.processes for role in roles if role.processes is not None), None)
    stated = _stated(job, "numProcPerNode")
    if job.resolved is None or first is None or first.can_be_stated or stated in (None, first.value):
        return
    place = job.resolved.job.manifest.place("spec", "trainer", "numProcPerNode")
    started = f"{_are(first.value)} started on a node ({first.why})"
    yield Caution(f"numProcPerNode {stated} is ignored: {started}; remove it", place)


def _nodes_and_hosts(job: TracedJob, hostfile: Hostfile | None) -> Iterator[Caution]:
    """With MPI's launcher as a node there is always another one, if the runtime has such a role."""
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
    nodes = number(processes.container.value(NODES)) if processes.container else None
    if processes.container is not None and nodes is not None and nodes != role.pods.count:
        pointer = processes.container.pointer
        variable = next(each.variable(NODES) for each in role.containers if each.pointer == pointer)
        message = f'{NODES} is {nodes}, but "{role.name}" has {plural(role.pods.count, "Pod")}'
        yield Caution(message, variable.place if variable else None)


def _overwritten(role: Role) -> Iterator[Caution]:
    for container in role.containers:
        for variable in container.variables:
            former = variable.instead_of
            if former is not None:
                lost = f'"{former.entry["value"]}"' if "value" in former.entry else "what stands"
                author, advice = ("env", "one of the two") if variable.is_copied else ("Trainer", "the entry")
                yield Caution(f"{lost} here is lost: {author} sets {variable.name}; remove {advice}", former.place)


def _unreachable(job: TracedJob, of: Environment) -> Iterator[Caution]:
    """A rendezvous address or a host that is not the name of a Pod."""
    jobset = job.objects[0].draft
    if of.world is None or not of.world.nodes or of.world.nodes < 0:
        return
    named = {} if of.master is None or of.master.is_copied else {of.master.address: of.master.setting}
    if of.hostfile is not None:
        named |= {line.partition(" ")[0]: "the hostfile" for line in of.hostfile.lines[:1]}
    for address, setting in named.items():
        if not any(role.pods.has(address) for role in of.roles):
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
