"""From a traced TrainJob to its `Environment`."""

from __future__ import annotations

from dataclasses import replace

from kubectl_trainjob.explain.environment.cautions import cautions_of
from kubectl_trainjob.explain.environment.counting import count_reason
from kubectl_trainjob.explain.environment.required_objects import required_objects_of
from kubectl_trainjob.explain.environment.roles import roles_of
from kubectl_trainjob.explain.environment.values import Environment, LaunchOrigins, Role
from kubectl_trainjob.kube.facts.trainer import HOSTFILE_SUFFIX
from kubectl_trainjob.kube.launch.launchers import launch_of
from kubectl_trainjob.model.stages import ObjectId, TracedJob


def describe(job: TracedJob, inputs: frozenset[ObjectId] = frozenset()) -> Environment:
    """The environment of an accepted job; `inputs` are the other objects that a build prints."""
    identity, roles = job.train_job.identity, roles_of(job)
    runtime_spec = job.resolved.runtime.body["spec"] if job.resolved else {}
    launch = launch_of(runtime_spec, [each.draft.value for each in job.objects])
    origins = LaunchOrigins(job, launch, {each.spec.pointer: each for role in roles for each in role.containers})
    environment = Environment(
        namespace=identity.namespace,
        name=identity.name,
        roles=tuple(_with_processes(role, origins) for role in roles),
        origins=origins,
        hostfile="" if launch.hosts is None else f"{identity.name}{HOSTFILE_SUFFIX}",
        needs=required_objects_of(job, roles, inputs),
    )
    return replace(environment, cautions=tuple(cautions_of(environment)))


def _with_processes(role: Role, origins: LaunchOrigins) -> Role:
    processes = origins.launch.processes.get(role.position)
    return role if processes is None else replace(role, processes=processes, reason=count_reason(origins, processes))
