"""From a traced TrainJob to its `Environment`."""

from __future__ import annotations

from dataclasses import replace

from kubectl_trainjob.explain.environment.cautions import cautions_of
from kubectl_trainjob.explain.environment.needs import needs_of
from kubectl_trainjob.explain.environment.processes import launch_origins
from kubectl_trainjob.explain.environment.roles import roles_of
from kubectl_trainjob.explain.environment.values import Environment, Hostfile
from kubectl_trainjob.kube.facts.trainer import HOSTFILE_SUFFIX
from kubectl_trainjob.kube.launch.read import launch_of
from kubectl_trainjob.model.stages import ObjectId, TracedJob


def describe(job: TracedJob, inputs: frozenset[ObjectId] = frozenset()) -> Environment:
    """The environment of an accepted job; `inputs` are the other objects that a build prints."""
    identity, roles = job.train_job.identity, roles_of(job)
    runtime_spec = job.resolved.runtime.body["spec"] if job.resolved else {}
    launch = launch_of(runtime_spec, [each.draft.value for each in job.objects])
    origins = launch_origins(job, launch, roles)
    environment = Environment(
        namespace=identity.namespace,
        name=identity.name,
        roles=tuple(replace(role, processes=origins.processes(role.position)) for role in roles),
        world=origins.world_size(),
        master=origins.master(),
        hostfile=None if launch.hosts is None else Hostfile(f"{identity.name}{HOSTFILE_SUFFIX}", launch.hosts),
        needs=needs_of(job, roles, inputs),
    )
    return replace(environment, cautions=tuple(cautions_of(environment, origins)))
