"""The launcher of a JobSet whose runtime is unknown, from what Trainer's plugins wrote into it."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_trainjob.kube.facts.trainer import FLUX_ENTRYPOINT_SUFFIX, HOSTFILE_SUFFIX
from kubectl_trainjob.kube.launch.flags import NODES
from kubectl_trainjob.kube.launch.launchers import launch_of
from kubectl_trainjob.kube.launch.replicated_jobs import replicated_jobs
from kubectl_trainjob.kube.launch.values import Launch
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body

_VARIABLES = {NODES: "torch", "JAX_NUM_PROCESSES": "jax", "DMLC_NUM_WORKER": "xgboost"}
_CONFIG_MAPS = {HOSTFILE_SUFFIX: "mpi", FLUX_ENTRYPOINT_SUFFIX: "flux"}


def inferred_launch(objects: Sequence[Body]) -> Launch:
    """What starts in the Pods of a JobSet, the first of the objects; the others are its ConfigMaps."""
    launcher = _launcher(objects[0])
    return launch_of({"mlPolicy": {launcher: {}} if launcher else {}}, objects)


def mounted_config_map(jobset: Body) -> str:
    """The name of the ConfigMap that lists the nodes of the job, "" if the launcher needs none."""
    name = jobset["metadata"]["name"]
    wanted = [f"{name}{suffix}" for suffix in _CONFIG_MAPS]
    for job in replicated_jobs(jobset):
        for volume in job.pod.get("volumes") or ():
            found = value_at(volume, ("configMap", "name"))
            if found in wanted:
                return str(found)
    return ""


def _launcher(jobset: Body) -> str:
    mounted = mounted_config_map(jobset)
    for suffix, launcher in _CONFIG_MAPS.items():
        if mounted.endswith(suffix):
            return launcher
    names = {
        name
        for job in replicated_jobs(jobset)
        for each in job.containers()
        for name in _VARIABLES
        if each.variable(name)
    }
    return next((launcher for name, launcher in _VARIABLES.items() if name in names), "")
