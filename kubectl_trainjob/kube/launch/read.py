"""The launch of a TrainJob, by the launcher of its runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER
from kubectl_trainjob.kube.launch import by_files, by_variables
from kubectl_trainjob.kube.launch.pods import pods_of
from kubectl_trainjob.kube.launch.replicated_jobs import replicated_jobs
from kubectl_trainjob.kube.launch.values import GeneratedObjects, Launch, PodProcesses, Setting, size
from kubectl_trainjob.model.stages import Body

_BY_POLICY: dict[str, Callable[[GeneratedObjects], Launch]] = {
    "torch": by_variables.torch,
    "mpi": by_files.mpi,
    "jax": by_variables.jax,
    "xgboost": by_variables.xgboost,
    "flux": by_files.flux,
}


def launch_of(runtime_spec: Mapping[str, Any], objects: Sequence[Body]) -> Launch:
    """What starts in the objects that are generated from a TrainJob, the JobSet first."""
    generated = GeneratedObjects(tuple(objects), replicated_jobs(objects[0]))
    policy = runtime_spec.get("mlPolicy") or {}
    launcher = next((kind for kind in _BY_POLICY if policy.get(kind) is not None), None)
    return _BY_POLICY[launcher](generated) if launcher else _plain(generated)


def _plain(generated: GeneratedObjects) -> Launch:
    """Without a launcher each Pod runs its command once."""
    trainers = [job for job in generated.jobs if job.ancestor == ANCESTOR_TRAINER]
    if not trainers:
        return Launch("")
    processes = {job.position: PodProcesses(1, job.node()) for job in trainers}
    nodes = sum(pods_of(generated.objects[0], job).count for job in trainers)
    return Launch("", processes, size(nodes, 1, Setting("parallelism", trainers[0].in_job("spec", "parallelism"))))
