"""Flux: settings of the broker from the environment of the trainer's container, volumes, mounts and the installer.

Mirrors trainer `pkg/runtime/framework/plugins/flux` (2.2, 2.3), brokerSettingsFromEnvironment for the settings.
"""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.compiler.expand.plan import JOB_SET, TRAINER, DerivedValue, Plan
from kubectl_trainjob.compiler.expand.upsert import Item
from kubectl_trainjob.kube.facts import trainer

DEFAULTS = {
    "FLUX_VIEW_IMAGE": "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy",
    "FLUX_NETWORK_DEVICE": "eth0",
    "FLUX_QUEUE_POLICY": "fcfs",
}


def broker_settings(plan: Plan) -> dict[str, DerivedValue[str]]:
    """The known settings: the runtime's env over the defaults, the TrainJob's over both."""
    settings = {name: DerivedValue(value) for name, value in DEFAULTS.items()}
    container = plan.container(trainer.ANCESTOR_TRAINER, trainer.NODE)
    of_runtime = (plan.jobset.get(*container, "env") if container else None) or ()
    for index, entry in enumerate(of_runtime):
        if entry["name"] in DEFAULTS and "value" in entry and container:
            settings[entry["name"]] = DerivedValue(entry["value"], ((JOB_SET, *container, "env", index, "value"),))
    for index, entry in enumerate((plan.trainer or {}).get("env") or ()):
        if entry["name"] in DEFAULTS:
            settings[entry["name"]] = DerivedValue(entry.get("value", ""), ((*TRAINER, "env", index, "value"),))
    return settings


SHARED_MEMORY = "shared-memory"


def flux_volumes(name: str) -> list[Item]:
    """The volumes of a job called `name`."""
    config = f"{name}{trainer.FLUX_ENTRYPOINT_SUFFIX}"
    return [
        {"name": "spack-install", "emptyDir": {}},
        {"name": "flux-install", "emptyDir": {}},
        {"name": config, "configMap": {"name": config, "defaultMode": 0o755}},
        {"name": SHARED_MEMORY, "emptyDir": {"medium": "Memory"}},
        {"name": "flux-curve", "secret": {"secretName": f"{name}{trainer.FLUX_CURVE_SUFFIX}", "defaultMode": 0o400}},
    ]


def _mount(name: str, path: str, *, read_only: bool = False) -> dict[str, Any]:
    mount = {"name": name, "mountPath": path}
    return {**mount, "readOnly": True} if read_only else mount


def flux_mounts(name: str) -> list[Item]:
    """Where the trainer's container has them."""
    return [
        _mount("flux-install", "/mnt/flux"),
        _mount("spack-install", "/opt/software"),
        _mount(f"{name}{trainer.FLUX_ENTRYPOINT_SUFFIX}", "/etc/flux-config", read_only=True),
        _mount("flux-curve", "/curve", read_only=True),
        _mount(SHARED_MEMORY, "/dev/shm", read_only=True),
    ]


def flux_installer(name: str, image: str | None) -> Item:
    """The init container that puts Flux into its volume."""
    own = [
        _mount("flux-install", "/mnt/flux"),
        _mount(f"{name}{trainer.FLUX_ENTRYPOINT_SUFFIX}", "/etc/flux-config", read_only=True),
    ]
    command = ["/bin/bash", "/etc/flux-config/init.sh"]
    container: Item = {"name": trainer.FLUX_INSTALLER, "command": command, "volumeMounts": own}
    return container if image is None else {**container, "image": image}
