"""KTJ207: Trainer finds the replicatedJob that trains by the label `trainer.kubeflow.org/trainjob-ancestor-step:
trainer` on its Job template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_LABEL, ANCESTOR_TRAINER, INITIALIZERS, NODE
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Pointer, value_at

_JOBS: Pointer = ("spec", "template", "spec", "replicatedJobs")
_ON_JOB: Pointer = ("template", "metadata", "labels")
_ON_POD: Pointer = ("template", "spec", "template", "metadata", "labels")
_CONTAINERS: Pointer = ("template", "spec", "template", "spec", "containers")
_STEPS = (ANCESTOR_TRAINER, *INITIALIZERS.values())
_IGNORED = "numNodes, image, env and resources of TrainJobs are ignored"


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Runtimes that train without this label."""
    jobs = [job.body for job in runtime.replicated_jobs]
    if any(_label(job, _ON_JOB) == ANCESTOR_TRAINER for job in jobs) or not _has_to_train(runtime):
        return
    yield _misplaced_label(runtime, jobs) or _missing(runtime, jobs)


def _label(job: Mapping[str, Any], labels: Pointer) -> Any:
    return value_at(job, (*labels, ANCESTOR_LABEL))


def _has_to_train(runtime: LintedRuntime) -> bool:
    """Whether the runtime trains, or a TrainJob of the inputs expects it: others may only run their own commands."""
    return bool(runtime.spec.get("mlPolicy") or any(_trainers(runtime)))


def _trainers(runtime: LintedRuntime) -> Iterator[Any]:
    """`spec.trainer` of the TrainJobs that use the runtime, as written."""
    return (value_at(job.body, ("spec", "trainer")) for job in runtime.train_jobs())


def _misplaced_label(runtime: LintedRuntime, jobs: list[Mapping[str, Any]]) -> Hit | None:
    """The label where it has no effect, or with a value that is not a step."""
    for index, job in enumerate(jobs):
        step = _label(job, _ON_JOB)
        if step is not None and step not in _STEPS:
            message = say('"{}" is not a step of Trainer, and {}; write "{}"', step, say(_IGNORED), ANCESTOR_TRAINER)
            return Hit(message, runtime.place(*_JOBS, index, *_ON_JOB, ANCESTOR_LABEL))
        if _label(job, _ON_POD) == ANCESTOR_TRAINER:
            message = say('"{}" has no effect on a Pod template, and {}', ANCESTOR_LABEL, say(_IGNORED))
            message = say("{}; label the Job template", message)
            return Hit(message, runtime.place(*_JOBS, index, *_ON_POD, ANCESTOR_LABEL).key())
    return None


def _missing(runtime: LintedRuntime, jobs: list[Mapping[str, Any]]) -> Hit:
    label, severity = f"{ANCESTOR_LABEL}: {ANCESTOR_TRAINER}", None if _has_effect(runtime) else Severity.WARNING
    message = say('no replicatedJob has the label "{}", and {}; label one', label, say(_IGNORED))
    if not jobs:
        return Hit(message, runtime.place(*_JOBS), severity=severity)
    index = next((index for index, job in enumerate(jobs) if job.get("name") == NODE), 0)
    return Hit(message, runtime.place(*_JOBS, index, "name"), fix=_fix(runtime, jobs[index], index), severity=severity)


def _has_effect(runtime: LintedRuntime) -> bool:
    """Whether a number of nodes or a field of a TrainJob of the inputs is ignored. MPI finds its nodes by name."""
    nodes = (runtime.spec.get("mlPolicy") or {}).get("numNodes")
    is_read = {"numNodes", "numProcPerNode"} if any(job.name == NODE for job in runtime.mpi_roles()) else set()
    if any(isinstance(each, dict) and not is_read.issuperset(each) for each in _trainers(runtime)):
        return True
    return nodes not in (None, 0, 1) and all(job.pods != nodes for job in runtime.replicated_jobs)


def _fix(runtime: LintedRuntime, job: Mapping[str, Any], index: int) -> Fix | None:
    """The label for the one with the name `node`, if it would be accepted; of others it is not known which trains."""
    if job.get("name") != NODE or _label(job, _ON_JOB) is not None or job.get("replicas", 1) != 1:
        return None
    containers = value_at(job, _CONTAINERS) or ()
    if all(container.get("name") != NODE for container in containers):
        return None
    pointer, value = (*_ON_JOB, ANCESTOR_LABEL), ANCESTOR_TRAINER
    new: Any = value
    while len(pointer) > 1 and value_at(job, pointer[:-1]) is None:
        new, pointer = {pointer[-1]: new}, pointer[:-1]
    edit = set_value(runtime.place(*_JOBS, index, *pointer), new)
    return Fix(say("label the replicatedJob `node` as the one that trains"), (edit,), is_safe=False)
