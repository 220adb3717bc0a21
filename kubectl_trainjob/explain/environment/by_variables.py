"""What launchers are told by environment variables, and by flags that beat these.

Read from what trainer `pkg/runtime/framework/plugins/{torch,jax,xgboost}` wrote (2.0-2.3), torchtune's command line
included.
"""

from __future__ import annotations

from dataclasses import replace

from kubectl_trainjob.explain.environment.counting import reason
from kubectl_trainjob.explain.environment.overriding import Overriding, overriding
from kubectl_trainjob.explain.environment.settings import (
    Launch,
    Roles,
    Setting,
    settings,
    size,
    times,
    unset,
)
from kubectl_trainjob.explain.environment.values import Container, Master, Processes, WorldSize
from kubectl_trainjob.kube.facts.devices import devices
from kubectl_trainjob.kube.facts.launchers import number
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import TracedJob

_NODES, _PER_NODE = "PET_NNODES", "PET_NPROC_PER_NODE"
_ADDRESS, _PORT = "PET_MASTER_ADDR", "PET_MASTER_PORT"


def torch(job: TracedJob, roles: Roles) -> Launch:
    """torchrun: PET_* in the trainer's container and in those that they are injected into, and torchrun's flags."""
    found = list(settings(roles, _PER_NODE))
    if not found:
        return unset(job, roles, _PER_NODE)
    by_role = [(setting, overriding(job, setting.container)) for setting in found]
    processes = {setting.role.name: _torch_processes(job, setting, flags) for setting, flags in by_role}
    (role, container, _), flags = by_role[0]
    return Launch(
        processes,
        _torch_world(container, processes[role.name], flags),
        _torch_master(container, flags),
        tuple(caution for _, each in by_role for caution in each.cautions()),
    )


def _torch_processes(job: TracedJob, setting: Setting, flags: Overriding) -> Processes:
    _, container, variable = setting
    told = flags.told.get(_PER_NODE)
    if told is not None:
        counted = number(told.value)
        each, why = told.value if counted is None else counted, f"{told.flag} in the command"
        return Processes(each, why, flags.place(told), told.flag.spelled, container, uses_gpus=True)
    if variable.value is None:
        return Processes(None, f"{_PER_NODE} is taken from elsewhere", variable.place, _PER_NODE, container)
    counted = number(variable.value)
    each = variable.value if counted is None else counted
    if variable.is_copied:
        return Processes(each, f"{_PER_NODE} is written in env", variable.place, _PER_NODE, container, uses_gpus=True)
    why, place, is_counted = reason(job, variable.causes, each, counts_cpus=True)
    return Processes(each, why, place, _PER_NODE, container, is_counted, uses_gpus=True)


def _torch_world(container: Container, processes: Processes, flags: Overriding) -> WorldSize:
    told, variable = flags.told.get(_NODES), container.variable(_NODES)
    nodes = number(told.value if told else container.value(_NODES))
    place = flags.place(told) if told else variable.place if variable else None
    for each in (told, flags.told.get(_PER_NODE)):
        if each is not None and each.value is None:
            return WorldSize(None, f"the command decides: {each.flag}", nodes, place)
    return replace(size(nodes, processes.value, devices(container.resources)), place=place)


def _torch_master(container: Container, flags: Overriding) -> Master | None:
    told, told_port = flags.told.get(_ADDRESS), flags.told.get(_PORT)
    port = told_port.value if told_port else container.value(_PORT)
    if told is not None:
        address = told.value if told.value is not None else "unknown"
        return Master(address, port or "", told.flag.spelled, flags.is_written(told), flags.place(told))
    address_variable = container.variable(_ADDRESS)
    if address_variable is None or not address_variable.value:
        return None
    by, place = address_variable.is_copied, address_variable.place
    return Master(address_variable.value, port or "", _ADDRESS, by, place)


def jax(job: TracedJob, roles: Roles) -> Launch:
    """JAX: one process a node, which meet at the coordinator's address."""
    found = next(settings(roles, "JAX_NUM_PROCESSES"), None)
    if found is None:
        return unset(job, roles, "JAX_NUM_PROCESSES")
    _, container, variable = found
    processes = Processes(1, "JAX starts one process a node", None, variable.name, container, can_be_stated=False)
    world = replace(size(number(variable.value), 1), place=variable.place)
    address = container.variable("JAX_COORDINATOR_ADDRESS")
    host, _, port = ((address and address.value) or "").rpartition(":")
    master = Master(host, port, address.name, address.is_copied, address.place) if address and host else None
    return Launch({found.role.name: processes}, world, master)


def xgboost(job: TracedJob, roles: Roles) -> Launch:
    """XGBoost: as many workers as there are GPUs, else nodes."""
    found = next(settings(roles, "DMLC_NUM_WORKER"), None)
    if found is None:
        return unset(job, roles, "DMLC_NUM_WORKER")
    role, container, variable = found
    workers, nodes = number(variable.value), role.pods.count
    each = workers // nodes if workers is not None and nodes and workers % nodes == 0 else None
    of_node = [cause for cause in variable.causes if not _states_nodes(cause)]  # the number rests on the nodes first
    why, place, is_counted = reason(job, of_node, each)
    processes = Processes(each, why, place, variable.name, container, is_counted, uses_gpus=True, can_be_stated=False)
    world = replace(times(nodes, each, workers), place=variable.place)
    address, port = container.variable("DMLC_TRACKER_URI"), container.value("DMLC_TRACKER_PORT") or ""
    if address is None or not address.value:
        return Launch({role.name: processes}, world)
    return Launch(
        {role.name: processes}, world, Master(address.value, port, address.name, address.is_copied, address.place)
    )


def _states_nodes(cause: Place) -> bool:
    return cause.pointer[-1:] == ("numNodes",)
