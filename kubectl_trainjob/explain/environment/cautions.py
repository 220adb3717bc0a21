"""Conflicts between numbers and names: valid in Kubernetes and Trainer, and rarely intended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.explain.environment.values import Caution, Container, Environment, LaunchOrigins, Role
from kubectl_trainjob.kube.facts.resources import devices, gpu_names, uncounted
from kubectl_trainjob.kube.launch import flags
from kubectl_trainjob.kube.launch.accelerate import launch_flags, remedy
from kubectl_trainjob.kube.launch.command_line import Flag, references, script_of, words_of
from kubectl_trainjob.kube.launch.flags import FlagValue, hosts, number
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.kube.launch.values import Launch, PodProcesses, setting_of
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.message import Message, joined, listed, plural, say
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import TracedJob

_NO_COMMAND = re.compile(r"[A-Z_][A-Z0-9_]*")  # in a shell, $(date) runs date
_OF_SERVICES = re.compile(r"KUBERNETES_.*|.*_SERVICE_(HOST|PORT)(_.*)?|.*_PORT_[0-9]+_(TCP|UDP|SCTP)(_.*)?", re.DOTALL)
_EMPTY_TRAINER = Message("`trainer: {}`")


def cautions_of(environment: Environment) -> Iterator[Caution]:
    """All of them: those of the commands, then in the order of the roles."""
    job = environment.origins.job
    yield from _overridden(environment.origins)
    for role in environment.roles:
        if role.processes is not None:
            yield from _unset(job, role, role.processes)
            yield from _processes_and_devices(environment, role, role.processes)
            yield from _nodes_and_pods(role, role.processes)
        yield from _overwritten(role)
        for container in role.containers:
            yield from _unresolved_references(job, container)
    yield from _ignored_settings(environment)
    yield from _nodes_and_hosts(job, environment.launch)
    yield from _unreachable(job, environment)


def _ignored_settings(environment: Environment) -> Iterator[Caution]:
    """numProcPerNode in a job whose launcher does not read it."""
    job, first = environment.origins.job, next((role for role in environment.roles if role.processes is not None), None)
    number_set = _set(job, "numProcPerNode")
    if job.resolved is None or first is None or first.processes is None or environment.launch.reads_num_proc_per_node:
        return
    if _is_unset(first.processes) or number_set in (None, first.processes.value):
        return
    place = job.resolved.job.manifest.place("spec", "trainer", "numProcPerNode")
    yield Caution(say("numProcPerNode {} is ignored: {}; remove it", number_set, _start_condition(first)), place)


def _nodes_and_hosts(job: TracedJob, launch: Launch) -> Iterator[Caution]:
    """With MPI's launcher as a node there is always another one, if the runtime has such a role."""
    nodes, hosts = _set(job, "numNodes"), len(launch.hosts or ())
    if job.resolved is None or not hosts or nodes in (None, hosts):
        return
    place = job.resolved.job.manifest.place("spec", "trainer", "numNodes")
    template = "numNodes is {}, but {} take part; set {}, or use another runtime"
    yield Caution(say(template, nodes, plural(hosts, "node"), hosts), place)


def _set(job: TracedJob, field: str) -> Any:
    """A number of the TrainJob's trainer, None if it sets none."""
    return (job.resolved.job.body["spec"].get("trainer") or {}).get(field) if job.resolved else None


def _is_unset(processes: PodProcesses) -> bool:
    return processes.value is None and processes.setting is None


def _unset(job: TracedJob, role: Role, processes: PodProcesses) -> Iterator[Caution]:
    if _is_unset(processes) and job.resolved is not None:
        place = job.resolved.job.manifest.place("spec").key()
        yield Caution(say("{}; add at least {}", role.reason.why, _EMPTY_TRAINER), place)


def _processes_and_devices(environment: Environment, role: Role, processes: PodProcesses) -> Iterator[Caution]:
    container, reason = processes.container, role.reason
    if container is None or not environment.launch.starts_process_per_gpu:
        return
    names, held, other = gpu_names(container.resources), devices(container.resources), uncounted(container.resources)
    whose = say('container "{}" of "{}"', container.name, role.name)
    is_read = environment.launch.reads_num_proc_per_node
    advice = say("set numProcPerNode") if is_read else say("request one that it counts")
    if len(names) > 1 and reason.is_counted:
        template = "{} requests {}, and Trainer counts any one of them; {}"
        yield Caution(say(template, whose, listed(names, template="{}"), advice), reason.place)
    elif held is not None and isinstance(processes.value, int) and processes.value != held.pieces:
        what = _advice(is_counted=reason.is_counted, is_read=is_read)
        yield Caution(say("{} requests {}, but {}; {}", whose, str(held), _start_condition(role), what), reason.place)
    elif not names and other is not None and reason.is_counted:
        template = "{} requests {}, which Trainer does not count: {}; {}"
        message = say(template, whose, str(other), _start_condition(role), advice)
        requested = (*container.pointer, "resources", other.field, other.name)
        yield Caution(message, environment.origins.job.objects[0].draft.place(requested) or reason.place)


def _advice(*, is_counted: bool, is_read: bool) -> Message:
    if not is_counted:
        return say("set both to the same number")
    if is_read:
        return say("set the GPUs in resourcesPerNode, or set numProcPerNode")
    return say("set the GPUs in resourcesPerNode")


def _start_condition(role: Role) -> Message:
    """How many processes start on a node, and why."""
    processes, why = role.processes and role.processes.value, role.reason.why
    if not isinstance(processes, int):
        return say('"{}" processes are started on a node ({})', processes, why)
    verb = say("is") if processes == 1 else say("are")
    return say("{} {} started on a node ({})", plural(processes, "process"), verb, why)


def _nodes_and_pods(role: Role, processes: PodProcesses) -> Iterator[Caution]:
    nodes = number(processes.container.value(flags.NODES)) if processes.container else None
    if processes.container is not None and nodes is not None and nodes != role.pods.count:
        pointer = processes.container.pointer
        variable = next(each.variable(flags.NODES) for each in role.containers if each.spec.pointer == pointer)
        message = say('{} is {}, but "{}" has {}', say(flags.NODES), nodes, role.name, plural(role.pods.count, "Pod"))
        yield Caution(message, variable.place if variable else None)


def _overwritten(role: Role) -> Iterator[Caution]:
    for container in role.containers:
        for variable in container.variables:
            former = variable.instead_of
            if former is not None:
                value = former.entry.get("value")
                what = say('the value "{}"', value) if "value" in former.entry else say("this entry")
                author = say("env") if variable.is_copied else say("Trainer")
                advice = say("one of the two") if variable.is_copied else say("the entry")
                message = say("{} is overwritten: {} sets {}; remove {}", what, author, variable.name, advice)
                yield Caution(message, former.place)


def _unreachable(job: TracedJob, environment: Environment) -> Iterator[Caution]:
    """A rendezvous address or a host that is not the name of a Pod."""
    jobset, launch = job.objects[0].draft, environment.launch
    if launch.total is None or not launch.total.nodes or launch.total.nodes < 0:
        return
    named = {each.name: say("the hostfile") for each in hosts((launch.hosts or ())[:1])}
    if launch.rendezvous is not None and not environment.origins.is_copied(launch.rendezvous.setting):
        named = {launch.rendezvous.address: say("{}", launch.rendezvous.setting.name)} | named
    for address, setting in named.items():
        if not any(role.pods.has(address) for role in environment.roles):
            why, place = _why_unreachable(job, jobset)
            yield Caution(say('{} has "{}", which is not the name of a Pod: {}', setting, address, why), place)


def _why_unreachable(job: TracedJob, jobset: Draft) -> tuple[Message, Place | None]:
    network = jobset.get("spec", "network") or {}
    job_place = job.resolved.job.manifest.place("spec", "runtimeRef", "name") if job.resolved else None
    if network.get("enableDNSHostnames") is False:
        message = say("network.enableDNSHostnames is false, so Pods have no DNS names")
        return message, jobset.place(("spec", "network", "enableDNSHostnames"))
    if network.get("subdomain"):
        message = say('the names end in "{}", the subdomain', f".{network['subdomain']}")
        return message, jobset.place(("spec", "network", "subdomain"))
    return say("the runtime has no such replicatedJob, or its Jobs are not Indexed"), job_place


def _overridden(origins: LaunchOrigins) -> Iterator[Caution]:
    """One for each flag that conflicts with a variable or the hostfile."""
    launch = origins.launch
    if launch.launcher == "torch":
        for processes in launch.processes.values():
            if processes.container is not None:
                yield from _overridden_variables(origins, processes.container)
    flag = launch.total.setting.flag if launch.total and launch.total.setting else None
    if launch.launcher == "mpi" and flag is not None:
        slots = plural(sum(each.slots for each in hosts(launch.hosts or ())), "slot")
        message = say("{} in the command overrides the hostfile's {}; remove the flag", str(flag), slots)
        yield Caution(message, origins.place(setting_of(flag)))


def _overridden_variables(origins: LaunchOrigins, container: ContainerSpec) -> Iterator[Caution]:
    found = launch_flags(container)
    against: dict[Flag, list[str]] = {}
    for name, each in found.items():
        if container.variable(name) is not None and not _agrees(container, name, found):
            against.setdefault(each.flag, []).append(name)
    for flag, names in against.items():
        variables = joined((_with_value(container, name) for name in names), between=" and ")
        instead = say(", or set numProcPerNode instead") if names[0] == flags.PER_NODE else Message()
        message = say("{} in the command overrides {}; {}{}", str(flag), variables, remedy(flag), instead)
        yield Caution(message, origins.place(setting_of(flag)))


def _agrees(container: ContainerSpec, name: str, found: dict[str, FlagValue]) -> bool:
    """Whether a flag and the variable of the same meaning have the same effect."""
    flag, variable = found[name].value, container.value(name)
    if flag is None or variable is None:
        return False
    if name == flags.PER_NODE:
        return _process_count(container, flag) == _process_count(container, variable)
    if name in (flags.ADDRESS, flags.PORT) and _is_own_rendezvous(container, found):
        return True
    has_namespace = name == flags.ADDRESS and flag.startswith(f"{variable}.")
    return flag == variable or has_namespace


def _process_count(container: ContainerSpec, each: str) -> int | str:
    """The number of processes: `auto` and `gpu` mean one for each GPU."""
    gpus, count = devices(container.resources), number(each)
    if count is not None:
        return count
    return gpus.pieces if gpus is not None and each in flags.PER_DEVICE else each


def _is_own_rendezvous(container: ContainerSpec, found: dict[str, FlagValue]) -> bool:
    """Whether the only node uses its loopback address for the rendezvous."""
    nodes, address = found.get(flags.NODES), found.get(flags.ADDRESS)
    count = nodes.value if nodes else container.value(flags.NODES)
    return count == "1" and address is not None and address.value in flags.LOOPBACK


def _with_value(container: ContainerSpec, name: str) -> Message:
    value = container.value(name)
    return say("{}", name) if value is None else say('{}, which is "{}"', name, value)


def _unresolved_references(job: TracedJob, container: Container) -> Iterator[Caution]:
    """`$(NAME)` in values, commands and args without a variable of that name; with `envFrom` all names are possible.

    Mirrors Expand in k8s.io/kubernetes `third_party/forked/golang/expansion/expand.go`, and makeEnvironmentVariables in
    `pkg/kubelet/kubelet_pods.go` (1.36): a value may refer to earlier variables, command and args to all.
    """
    if container.imported:
        return
    known: set[str] = set()
    names = {variable.name for variable in container.variables}
    for variable in container.variables:
        for name in _references(variable.value or "", is_shell=False):
            if name not in known:
                is_later = name in names
                yield Caution(_message(name, say("the value of {}", variable.name), is_later=is_later), variable.place)
        known.add(variable.name)
    yield from _in_command(job.objects[0].draft, container, names)


def _in_command(jobset: Draft, container: Container, names: set[str]) -> Iterator[Caution]:
    words = words_of(container.spec)
    is_clear = bool(container.spec.body.get("command")) and script_of(words) is None
    unknown: dict[str, Pointer] = {}
    for word in words:
        for name in _references(word.text, is_shell=not is_clear):
            if name not in names:
                unknown.setdefault(name, word.pointer)
    for name, pointer in unknown.items():
        yield Caution(_message(name, say("the command")), jobset.place(pointer))


def _references(text: str, *, is_shell: bool) -> list[str]:
    """The names that are referred to, each once, without those that Services may have."""
    names = dict.fromkeys(name for name in references(text) if not _OF_SERVICES.fullmatch(name))
    return [name for name in names if not is_shell or _NO_COMMAND.fullmatch(name)]


def _message(name: str, where: Message, *, is_later: bool = False) -> Message:
    if is_later:
        template = "{} in {} is not replaced: env has {} only after it; use {} in the command"
        return say(template, f"$({name})", where, name, name)
    return say("{} in {} is not replaced: the container has no variable {}; define it", f"$({name})", where, name)
