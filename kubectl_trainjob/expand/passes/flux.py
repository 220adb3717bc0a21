"""Flux Framework: the installer, the volumes and the wrapped command.

Mirrors trainer `pkg/runtime/framework/plugins/flux` Validate and EnforceMLPolicy (2.2, 2.3); the entrypoint's
ConfigMap is made in `builders/flux_entrypoint.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.api.jobset import pod_spec
from kubectl_trainjob.api.trainer import (
    ANCESTOR_TRAINER,
    FLUX_CURVE_SUFFIX,
    FLUX_ENTRYPOINT_SUFFIX,
    FLUX_INSTALLER,
    NODE,
)
from kubectl_trainjob.expand.flux_settings import broker_settings
from kubectl_trainjob.expand.plan import TRAINER, Plan, PodSet
from kubectl_trainjob.expand.upsert import Item, Upsert, upsert
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.mpi import FLUX_NAMESPACE, FLUX_NUM_NODES, FLUX_PROCESSES, FLUX_RESERVED_INIT

SHARED_MEMORY = "shared-memory"


@dataclass(frozen=True, slots=True)
class Setup:
    """What a release sets up.

    `shared_memory`: a volume in memory is mounted. `runtime_command`: where the TrainJob has no command, the runtime's
    is wrapped. `empty_image`: the installer's image is written though its setting be empty.
    """

    shared_memory: bool
    runtime_command: bool
    empty_image: bool


def applies(plan: Plan) -> bool:
    """Runtimes with `mlPolicy.flux`."""
    return plan.policy("flux") is not None


def processes(plan: Plan) -> Iterator[Diagnostic]:
    """At least one process a node (2.3; before, only the runtime's number is looked at, which the schema does)."""
    stated = (plan.trainer or {}).get("numProcPerNode", (plan.policy("flux") or {}).get("numProcPerNode"))
    if stated is not None and stated < 1:
        place = plan.job_place("spec", "trainer", "numProcPerNode")
        yield Diagnostic(FLUX_PROCESSES, f"numProcPerNode {stated} must be at least 1", place)


def own_init_container(plan: Plan) -> Iterator[Diagnostic]:
    """The installer's name is the controller's."""
    pods = plan.by_name(NODE)
    for container in plan.containers(pods, FLUX_INSTALLER, "initContainers") if pods else ():
        message = f'init container "{FLUX_INSTALLER}" is added by the controller; rename yours'
        yield Diagnostic(FLUX_RESERVED_INIT, message, plan.origin_place(*container, "name"))


def nodes_stated(plan: Plan) -> Iterator[Diagnostic]:
    """The controller reads numNodes without looking whether it is there."""
    if (plan.trainer or {}).get("numNodes") is None:
        message = "a Flux job without spec.trainer.numNodes is accepted, then crashes the controller; write numNodes"
        yield Diagnostic(FLUX_NUM_NODES, message, plan.job_place("spec", "trainer").key())


def namespace_stated(plan: Plan) -> Iterator[Diagnostic]:
    """A guess that must be told."""
    if not plan.namespace:
        message = 'Flux\'s configuration names the namespace "default"; write metadata.namespace or build with -n'
        yield Diagnostic(FLUX_NAMESPACE, message, plan.job_place("metadata"))


def enforce(setup: Setup, plan: Plan) -> Plan:
    """Wrap the trainer's command; give the pods named `node` the installer and its volumes."""
    image = broker_settings(plan)["FLUX_VIEW_IMAGE"]
    installer = _installer(plan.name, image if image or setup.empty_image else None)
    command = ["/bin/bash", "/etc/flux-config/entrypoint.sh", _wrapped_command(plan, setup)]
    for pods in plan.pod_sets:
        if pods.name == NODE:
            plan = _volumes_of(plan, pods, setup)
            plan = _installed(plan, pods, installer)
    return plan._replace(command=command, args=None)


def _wrapped_command(plan: Plan, setup: Setup) -> str:
    """The command that Flux starts: the TrainJob's or the runtime's, with the TrainJob's args."""
    container = plan.container(ANCESTOR_TRAINER, NODE)
    command = plan.command
    if command is None and setup.runtime_command:
        command = (plan.jobset.get(*container, "command") if container else None) or []
    return " ".join([*(command or ()), *(plan.args or ())]).strip()


def _volumes_of(plan: Plan, pods: PodSet, setup: Setup) -> Plan:
    volumes, mounts = _volumes(plan.name), _mounts(plan.name)
    if not setup.shared_memory:
        volumes, mounts = ([each for each in items if each["name"] != SHARED_MEMORY] for items in (volumes, mounts))
    jobset = upsert(plan.jobset, pod_spec(pods.position), "volumes", [Upsert(volume) for volume in volumes])
    for container in plan.containers(pods, NODE):
        jobset = upsert(jobset, container, "volumeMounts", [Upsert(mount) for mount in mounts])
    return plan.with_jobset(jobset)


def _installed(plan: Plan, pods: PodSet, installer: Item) -> Plan:
    containers = (*pod_spec(pods.position), "initContainers")
    position = len(plan.jobset.get(*containers) or ())
    return plan.with_jobset(plan.jobset.put((*containers, position), installer, because=((*TRAINER, "env"),)))


def _volumes(name: str) -> list[Item]:
    config = f"{name}{FLUX_ENTRYPOINT_SUFFIX}"
    return [
        {"name": "spack-install", "emptyDir": {}},
        {"name": "flux-install", "emptyDir": {}},
        {"name": config, "configMap": {"name": config, "defaultMode": 0o755}},
        {"name": SHARED_MEMORY, "emptyDir": {"medium": "Memory"}},
        {"name": "flux-curve", "secret": {"secretName": f"{name}{FLUX_CURVE_SUFFIX}", "defaultMode": 0o400}},
    ]


def _mount(name: str, path: str, *, read_only: bool = False) -> dict[str, Any]:
    mount = {"name": name, "mountPath": path}
    return {**mount, "readOnly": True} if read_only else mount


def _mounts(name: str) -> list[Item]:
    return [
        _mount("flux-install", "/mnt/flux"),
        _mount("spack-install", "/opt/software"),
        _mount(f"{name}{FLUX_ENTRYPOINT_SUFFIX}", "/etc/flux-config", read_only=True),
        _mount("flux-curve", "/curve", read_only=True),
        _mount(SHARED_MEMORY, "/dev/shm", read_only=True),
    ]


def _installer(name: str, image: str | None) -> Item:
    mounts = [
        _mount("flux-install", "/mnt/flux"),
        _mount(f"{name}{FLUX_ENTRYPOINT_SUFFIX}", "/etc/flux-config", read_only=True),
    ]
    command = ["/bin/bash", "/etc/flux-config/init.sh"]
    installer: Item = {"name": FLUX_INSTALLER, "command": command, "volumeMounts": mounts}
    return installer if image is None else {**installer, "image": image}
