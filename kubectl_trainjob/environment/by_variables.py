"""What launchers are told by environment variables.

Read from what trainer `pkg/runtime/framework/plugins/{torch,jax,xgboost}` wrote (2.0-2.3), torchtune's command line
included.
"""

from __future__ import annotations

from kubectl_trainjob.environment.counting import reason
from kubectl_trainjob.environment.devices import devices
from kubectl_trainjob.environment.settings import (
    Launch,
    Roles,
    Setting,
    number,
    settings,
    size,
    times,
    unset,
    value_of,
)
from kubectl_trainjob.environment.values import Container, Master, Processes
from kubectl_trainjob.stages import TracedJob

_PER_NODE = "PET_NPROC_PER_NODE"
_RENDEZVOUS = "--rdzv_endpoint"


def torch(job: TracedJob, roles: Roles) -> Launch:
    """torchrun: PET_* in the trainer's container and in those that they are injected into."""
    found = list(settings(roles, _PER_NODE))
    if not found:
        return unset(job, roles, _PER_NODE)
    processes = {each.role.name: _torch_processes(job, each) for each in found}
    role, container, _ = found[0]
    world = size(number(value_of(container, "PET_NNODES")), processes[role.name].value, devices(container.resources))
    return Launch(processes, world, _torch_master(container))


def _torch_processes(job: TracedJob, setting: Setting) -> Processes:
    _, container, variable = setting
    if variable.value is None:
        return Processes(None, f"{_PER_NODE} is taken from elsewhere", variable.place, _PER_NODE, container)
    counted = number(variable.value)
    each = variable.value if counted is None else counted
    if variable.is_copied:
        return Processes(each, f"{_PER_NODE} is written in env", variable.place, _PER_NODE, container, uses_gpus=True)
    why, place, is_counted = reason(job, variable.causes, each, counts_cpus=True)
    return Processes(each, why, place, _PER_NODE, container, is_counted, uses_gpus=True)


def _torch_master(container: Container) -> Master | None:
    address = container.variable("PET_MASTER_ADDR")
    if address is not None and address.value:
        port = value_of(container, "PET_MASTER_PORT") or ""
        return Master(address.value, port, address.name, address.is_copied)
    for word in container.body.get("command") or ():
        option, _, endpoint = word.partition("=")
        if option == _RENDEZVOUS:
            host, _, port = endpoint.rpartition(":")
            return Master(host, port, _RENDEZVOUS)
    return None


def jax(job: TracedJob, roles: Roles) -> Launch:
    """JAX: one process a node, which meet at the coordinator's address."""
    found = next(settings(roles, "JAX_NUM_PROCESSES"), None)
    if found is None:
        return unset(job, roles, "JAX_NUM_PROCESSES")
    setting = "JAX_COORDINATOR_ADDRESS"
    host, _, port = (value_of(found.container, setting) or "").rpartition(":")
    processes = Processes(1, "JAX starts one process a node", None, found.variable.name, found.container)
    world = size(number(found.variable.value), 1)
    return Launch({found.role.name: processes}, world, Master(host, port, setting) if host else None)


def xgboost(job: TracedJob, roles: Roles) -> Launch:
    """XGBoost: as many workers as there are GPUs, else nodes."""
    found = next(settings(roles, "DMLC_NUM_WORKER"), None)
    if found is None:
        return unset(job, roles, "DMLC_NUM_WORKER")
    role, container, variable = found
    workers, nodes = number(variable.value), role.pods.count
    each = workers // nodes if workers is not None and nodes and workers % nodes == 0 else None
    why, place, is_counted = reason(job, variable.causes, each)
    processes = Processes(each, why, place, variable.name, container, is_counted, uses_gpus=True, can_be_stated=False)
    address = value_of(container, "DMLC_TRACKER_URI")
    port = value_of(container, "DMLC_TRACKER_PORT") or ""
    master = Master(address, port, "DMLC_TRACKER_URI") if address else None
    return Launch({role.name: processes}, times(nodes, each, workers), master)
