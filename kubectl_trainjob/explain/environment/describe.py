"""From a traced TrainJob to its `Environment`."""

from __future__ import annotations

from dataclasses import replace

from kubectl_trainjob.explain.environment.by_files import hostfile_of
from kubectl_trainjob.explain.environment.cautions import cautions_of
from kubectl_trainjob.explain.environment.launch import launch_of
from kubectl_trainjob.explain.environment.needs import needs_of
from kubectl_trainjob.explain.environment.roles import roles_of
from kubectl_trainjob.explain.environment.values import Environment
from kubectl_trainjob.model.stages import ObjectId, TracedJob


def describe(job: TracedJob, inputs: frozenset[ObjectId] = frozenset()) -> Environment:
    """The environment of a job that is not refused; `inputs` are the other objects that a build prints."""
    roles, hostfile = roles_of(job), hostfile_of(job)
    launch = launch_of(job, roles)
    return Environment(
        namespace=job.train_job.identity.namespace,
        name=job.train_job.identity.name,
        roles=tuple(replace(role, processes=launch.processes.get(role.name)) for role in roles),
        world=launch.world,
        master=launch.master,
        hostfile=hostfile,
        needs=needs_of(job, roles, inputs),
        cautions=tuple(cautions_of(job, roles, launch, hostfile)),
    )
