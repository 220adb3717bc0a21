"""The replicatedJobs of a JobSet with their containers, and the origin of each variable.

Kubernetes' Job controller adds one variable to every container and init container of an Indexed Job: mirrors
addCompletionIndexEnvVariables in k8s.io/kubernetes `pkg/controller/job/indexed_job_utils.go` (1.36). Not shown: what
the kubelet adds when it starts a container (HOSTNAME, addresses of Services), and what admission of Pods may add.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.explain.environment.values import (
    JOB_CONTROLLER,
    RUNTIME,
    TRAIN_JOB,
    Container,
    ContainerValue,
    ReplacedVariable,
    Role,
    Variable,
)
from kubectl_trainjob.kube.facts.masking import without_secrets
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec, ReplicatedJob, pods_of, replicated_jobs
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Origin, Place, Pointer
from kubectl_trainjob.model.stages import Body, ResolvedJob, TracedJob

COMPLETION_INDEX = "JOB_COMPLETION_INDEX"
_FROM_LABEL = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}
_FIELDS = ("image", "command", "args")
_BUILDER = "jobset"  # Trainer's step that writes the TrainJob's own fields
_INDEX = Variable({"name": COMPLETION_INDEX, "valueFrom": _FROM_LABEL}, JOB_CONTROLLER)


def roles_of(job: TracedJob) -> tuple[Role, ...]:
    """Every replicatedJob in the JobSet's order, without processes. The job is accepted."""
    jobset = job.objects[0].draft
    return tuple(_role(job, jobset, each) for each in replicated_jobs(jobset.value))


def _role(job: TracedJob, jobset: Draft, replicated: ReplicatedJob) -> Role:
    pods = pods_of(jobset.value, replicated)
    containers = (_container(job, jobset, each, is_indexed=pods.is_indexed) for each in replicated.containers())
    return Role(replicated.position, replicated.name, replicated.ancestor, pods, tuple(containers))


def _container(job: TracedJob, jobset: Draft, container: ContainerSpec, *, is_indexed: bool) -> Container:
    pointer, body = container
    variables = tuple(_variables(job, jobset, (*pointer, "env")))
    if is_indexed and all(each.name != COMPLETION_INDEX for each in variables):
        variables += (_INDEX,)
    return Container(
        container,
        variables,
        fields={field: _value(job, jobset, (*pointer, field)) for field in _FIELDS if body.get(field)},
        imported=tuple(_items(job, jobset, (*pointer, "envFrom"))),
        ports=tuple(_items(job, jobset, (*pointer, "ports"))),
    )


def _items(job: TracedJob, jobset: Draft, pointer: Pointer) -> Iterator[ContainerValue]:
    return (_value(job, jobset, (*pointer, index)) for index in range(len(jobset.get(*pointer) or ())))


def _value(job: TracedJob, jobset: Draft, pointer: Pointer) -> ContainerValue:
    return ContainerValue(without_secrets(jobset.get(*pointer)), *_author(job, jobset, pointer))


def _variables(job: TracedJob, jobset: Draft, pointer: Pointer) -> Iterator[Variable]:
    for index, entry in enumerate(jobset.get(*pointer) or ()):
        origin = jobset.origin((*pointer, index))
        causes = origin.causes if origin else ()
        key = _value_key(entry)
        by, place = _author(job, jobset, (*pointer, index, key) if key else (*pointer, index))
        yield Variable(without_secrets(entry), by, place, causes, _replaced_variable(job, jobset, (*pointer, index)))


def _value_key(entry: Body) -> str | None:
    """The key of an entry of `env` that has its value; in a merged entry it is the effective one."""
    return next((key for key in ("value", "valueFrom") if key in entry), None)


def _author(job: TracedJob, jobset: Draft, pointer: Pointer) -> tuple[str, Place | None]:
    """The origin of the value at `pointer`, and the line to edit."""
    origin = jobset.origin(pointer)
    if origin is None:
        return "", None
    if origin.place is not None:
        return _input(origin.place, job.resolved) or origin.step, origin.place
    return origin.step, origin.causes[0] if origin.causes else None


def _input(place: Place, resolved: ResolvedJob | None) -> str:
    if resolved is not None and place.source == resolved.job.manifest.source:
        return TRAIN_JOB
    return RUNTIME if resolved is not None and place.source == resolved.runtime.manifest.source else ""


def _replaced_variable(job: TracedJob, jobset: Draft, pointer: Pointer) -> ReplacedVariable | None:
    """The user's value in the entry of `env` at `pointer` that Trainer overwrote, unless that is intended.

    A field of the TrainJob may replace the runtime's value, which is for jobs that do not set it.
    """
    entry, origin = jobset.get(*pointer), jobset.origin(pointer)
    if origin is None or job.resolved is None:
        return None
    if origin.place is not None:
        return _storage(origin, entry)
    before = origin.over
    while before is not None and before.place is None:
        before = before.over
    if before is None or not isinstance(before.value, dict) or before.value == entry:
        return None
    place = _former_place(jobset, pointer, before.value)
    is_meant_for_this_job = place is not None and place.source == job.resolved.job.manifest.source
    former = without_secrets(before.value)
    return ReplacedVariable(former, place) if place and (origin.step != _BUILDER or is_meant_for_this_job) else None


def _storage(origin: Origin, entry: Body) -> ReplacedVariable | None:
    """The storageUri of an initializer whose env sets the variable, too."""
    before = origin.over
    if before is None or before.step != _BUILDER or before.place is not None or not before.causes:
        return None
    return ReplacedVariable(without_secrets(before.value), before.causes[0]) if before.value != entry else None


def _former_place(jobset: Draft, pointer: Pointer, former: Body) -> Place | None:
    """The place of the value of a former entry, even if its key no longer exists."""
    before = jobset.origin((*pointer, _value_key(former) or "name"))
    while before is not None and before.place is None:
        before = before.over
    return before.place if before else None
