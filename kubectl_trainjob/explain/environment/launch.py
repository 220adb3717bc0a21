"""Processes of a node, world size and meeting point, as each kind of runtime tells its launcher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kubectl_trainjob.explain.environment import by_files, by_variables
from kubectl_trainjob.explain.environment.settings import Launch, Roles, size
from kubectl_trainjob.explain.environment.values import Processes
from kubectl_trainjob.kube.facts.jobset import job_template
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.model.stages import TracedJob

_BY_POLICY: dict[str, Callable[[TracedJob, Roles], Launch]] = {
    "torch": by_variables.torch,
    "mpi": by_files.mpi,
    "jax": by_variables.jax,
    "xgboost": by_variables.xgboost,
    "flux": by_files.flux,
}


def launch_of(job: TracedJob, roles: Roles) -> Launch:
    """What the launcher of the job's kind will be told."""
    policy = (job.resolved.runtime.body["spec"].get("mlPolicy") if job.resolved else None) or {}
    kind = next((kind for kind in _BY_POLICY if policy.get(kind) is not None), None)
    return _BY_POLICY[kind](job, roles) if kind else _plain(job, roles)


def _plain(job: TracedJob, roles: Roles) -> Launch:
    """Nothing launches anything: each Pod runs its command once."""
    trainers = [role for role in roles if role.ancestor == ANCESTOR_TRAINER]
    why = "no launcher is set up: each Pod runs its command once"
    processes = {role.name: Processes(1, why, container=role.container(NODE), can_be_stated=False) for role in trainers}
    if not trainers:
        return Launch(processes)
    origin = job.objects[0].draft.origin((*job_template(trainers[0].position), "spec", "parallelism"))
    world = size(sum(role.pods.count for role in trainers), 1)
    return Launch(processes, replace(world, place=origin.first_place() if origin else None))
