"""Flags of a command that override what Trainer sets by variables and files."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.explain.environment.processes import LaunchOrigins
from kubectl_trainjob.explain.environment.values import Caution
from kubectl_trainjob.kube.facts.devices import devices
from kubectl_trainjob.kube.launch.by_variables import ADDRESS, NODES, PER_NODE, PORT
from kubectl_trainjob.kube.launch.flags import PER_DEVICE, FlagValue, hosts, number, torch_flags
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.kube.launch.values import plural, setting_of

_LOOPBACK = ("localhost", "127.0.0.1")


def overridden(origins: LaunchOrigins) -> Iterator[Caution]:
    """One for each flag that conflicts with a variable or the hostfile."""
    launch = origins.launch
    if launch.launcher == "torch":
        for processes in launch.processes.values():
            if processes.container is not None:
                yield from _variables(origins, processes.container)
    flag = launch.total.setting.flag if launch.total and launch.total.setting else None
    if launch.launcher == "mpi" and flag is not None:
        slots = plural(sum(each.slots for each in hosts(launch.hosts or ())), "slot")
        message = f"{flag} in the command counts, not the hostfile's {slots}; remove the flag"
        yield Caution(message, origins.place(setting_of(flag)))


def _variables(origins: LaunchOrigins, container: ContainerSpec) -> Iterator[Caution]:
    found = torch_flags(container)
    against: dict[str, list[str]] = {}
    for name, each in found.items():
        if container.variable(name) is not None and not _agrees(container, name, found):
            against.setdefault(str(each.flag), []).append(name)
    for flag, names in against.items():
        overridden = " and ".join(_named(container, name) for name in names)
        instead = ", or state numProcPerNode instead" if names[0] == PER_NODE else ""
        message = f"{flag} in the command counts, not {overridden}; remove the flag{instead}"
        yield Caution(message, origins.place(setting_of(found[names[0]].flag)))


def _agrees(container: ContainerSpec, name: str, found: dict[str, FlagValue]) -> bool:
    """Whether a flag and the variable of the same meaning have the same effect."""
    flag, variable = found[name].value, container.value(name)
    if flag is None or variable is None:
        return False
    if name == PER_NODE:
        return _processes(container, flag) == _processes(container, variable)
    if name in (ADDRESS, PORT) and _is_own_rendezvous(container, found):
        return True
    has_namespace = name == ADDRESS and flag.startswith(f"{variable}.")
    return flag == variable or has_namespace


def _processes(container: ContainerSpec, each: str) -> int | str:
    """Their number: `auto` and `gpu` mean one for each GPU."""
    gpus, stated = devices(container.resources), number(each)
    if stated is not None:
        return stated
    return gpus.pieces if gpus is not None and each in PER_DEVICE else each


def _is_own_rendezvous(container: ContainerSpec, found: dict[str, FlagValue]) -> bool:
    """Whether there is one node, whose processes meet at its own loopback address."""
    nodes, address = found.get(NODES), found.get(ADDRESS)
    count = nodes.value if nodes else container.value(NODES)
    return count == "1" and address is not None and address.value in _LOOPBACK


def _named(container: ContainerSpec, name: str) -> str:
    value = container.value(name)
    return name if value is None else f'{name}, which is "{value}"'
