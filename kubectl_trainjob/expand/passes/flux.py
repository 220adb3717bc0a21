"""Flux Framework: the installer, the volumes and the wrapped command.

Mirrors trainer `pkg/runtime/framework/plugins/flux` Validate and EnforceMLPolicy (2.2, 2.3); the entrypoint's
ConfigMap is made in `builders/flux_entrypoint.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from kubectl_trainjob.expand.upsert import Item, Write, upsert
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.mpi import FLUX_NAMESPACE, FLUX_NUM_NODES, FLUX_PROCESSES, FLUX_RESERVED_INIT


def applies(plan: Plan) -> bool:
    """Runtimes with `mlPolicy.flux`."""
    return plan.policy("flux") is not None


def validate(plan: Plan) -> Iterator[Diagnostic]:
    """The webhook's conditions, the missing field on which the controller crashes, and a guess that must be told."""
    processes = (plan.trainer or {}).get("numProcPerNode", (plan.policy("flux") or {}).get("numProcPerNode"))
    if processes is not None and processes < 1:
        place = plan.job_place("spec", "trainer", "numProcPerNode")
        yield Diagnostic(FLUX_PROCESSES, f"numProcPerNode {processes} must be at least 1", place)
    pods = plan.by_name(NODE)
    for container in plan.containers(pods, FLUX_INSTALLER, "initContainers") if pods else ():
        message = f'init container "{FLUX_INSTALLER}" is added by the controller; rename yours'
        yield Diagnostic(FLUX_RESERVED_INIT, message, plan.origin_place(*container, "name"))
    if (plan.trainer or {}).get("numNodes") is None:
        message = "a Flux job without spec.trainer.numNodes is accepted, then crashes the controller; write numNodes"
        yield Diagnostic(FLUX_NUM_NODES, message, plan.job_place("spec", "trainer").key())
    if not plan.namespace:
        message = 'Flux\'s configuration names the namespace "default"; write metadata.namespace or build with -n'
        yield Diagnostic(FLUX_NAMESPACE, message, plan.job_place("metadata"))


def enforce(plan: Plan) -> Plan:
    """Wrap the trainer's command; give the pods named `node` the installer and its volumes."""
    settings = broker_settings(plan)
    command = ["/bin/bash", "/etc/flux-config/entrypoint.sh", _wrapped_command(plan)]
    for pods in plan.pod_sets:
        if pods.name == NODE:
            plan = _node(plan, pods, settings["FLUX_VIEW_IMAGE"])
    return plan._replace(command=command, args=None)


def _wrapped_command(plan: Plan) -> str:
    """The command that Flux starts: the TrainJob's or the runtime's, with the TrainJob's args."""
    container = plan.container(ANCESTOR_TRAINER, NODE)
    command = plan.command
    if command is None:
        command = (plan.jobset.get(*container, "command") if container else None) or []
    return " ".join([*command, *(plan.args or ())]).strip()


def _node(plan: Plan, pods: PodSet, image: str) -> Plan:
    spec = pod_spec(pods.position)
    jobset = upsert(plan.jobset, spec, "volumes", [Write(volume) for volume in _volumes(plan.name)])
    position = len(jobset.get(*spec, "initContainers") or ())
    jobset = jobset.put((*spec, "initContainers", position), _installer(plan.name, image), because=((*TRAINER, "env"),))
    for container in plan.containers(pods, NODE):
        jobset = upsert(jobset, container, "volumeMounts", [Write(mount) for mount in _mounts(plan.name)])
    return plan.with_jobset(jobset)


def _volumes(name: str) -> list[Item]:
    config = f"{name}{FLUX_ENTRYPOINT_SUFFIX}"
    return [
        {"name": "spack-install", "emptyDir": {}},
        {"name": "flux-install", "emptyDir": {}},
        {"name": config, "configMap": {"name": config, "defaultMode": 0o755}},
        {"name": "shared-memory", "emptyDir": {"medium": "Memory"}},
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
        _mount("shared-memory", "/dev/shm", read_only=True),
    ]


def _installer(name: str, image: str) -> Item:
    mounts = [
        _mount("flux-install", "/mnt/flux"),
        _mount(f"{name}{FLUX_ENTRYPOINT_SUFFIX}", "/etc/flux-config", read_only=True),
    ]
    command = ["/bin/bash", "/etc/flux-config/init.sh"]
    installer: Item = {"name": FLUX_INSTALLER, "command": command, "volumeMounts": mounts}
    return {**installer, "image": image} if image else installer
