"""KTJ207: Trainer finds the replicatedJob that trains by the label `trainer.kubeflow.org/trainjob-ancestor-step:
trainer` on its Job template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.kinds import runtime_ref
from kubectl_trainjob.kube.facts.trainer import (
    ANCESTOR_LABEL,
    ANCESTOR_TRAINER,
    CLUSTER_TRAINING_RUNTIME,
    INITIALIZERS,
    NODE,
)
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import ANCESTOR_LABEL_MISSING
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Manifest

_JOBS: Pointer = ("spec", "template", "spec", "replicatedJobs")
_ON_JOB: Pointer = ("template", "metadata", "labels")
_ON_POD: Pointer = ("template", "spec", "template", "metadata", "labels")
_CONTAINERS: Pointer = ("template", "spec", "template", "spec", "containers")
_STEPS = (ANCESTOR_TRAINER, *INITIALIZERS.values())
_IGNORED = "numNodes, image, env and resources of TrainJobs are ignored"


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    jobs = [job.body for job in runtime.replicated_jobs]
    if any(_label(job, _ON_JOB) == ANCESTOR_TRAINER for job in jobs) or not _is_to_train(runtime):
        return
    yield _misplaced(runtime, jobs) or _missing(runtime, jobs)


def _label(job: Mapping[str, Any], labels: Pointer) -> Any:
    return value_at(job, (*labels, ANCESTOR_LABEL))


def _is_to_train(runtime: LintedRuntime) -> bool:
    """Whether the runtime trains, or a TrainJob of the inputs wants it to: others may only run what they state."""
    return bool(runtime.spec.get("mlPolicy")) or any(_asks(job, runtime) for job in runtime.around.train_jobs)


def _asks(job: Manifest, runtime: LintedRuntime) -> bool:
    meant, ref = runtime.runtime.manifest.id, runtime_ref(job)
    if (ref.get("name"), ref.get("kind") or CLUSTER_TRAINING_RUNTIME) != (meant.name, meant.kind):
        return False
    is_near = meant.kind == CLUSTER_TRAINING_RUNTIME or job.id.namespace == meant.namespace
    return is_near and bool(value_at(job.body, ("spec", "trainer")))


def _misplaced(runtime: LintedRuntime, jobs: list[Mapping[str, Any]]) -> Hit | None:
    """The label where it has no effect, or with a value that is no step."""
    for index, job in enumerate(jobs):
        step = _label(job, _ON_JOB)
        if step is not None and step not in _STEPS:
            place = runtime.place(*_JOBS, index, *_ON_JOB, ANCESTOR_LABEL)
            return Hit(f'"{step}" is none of Trainer\'s steps, so that {_IGNORED}; write {ANCESTOR_TRAINER}', place)
        if _label(job, _ON_POD) == ANCESTOR_TRAINER:
            place = runtime.place(*_JOBS, index, *_ON_POD, ANCESTOR_LABEL).key()
            message = f'"{ANCESTOR_LABEL}" has no effect on a Pod template, and {_IGNORED}; label the Job template'
            return Hit(message, place)
    return None


def _missing(runtime: LintedRuntime, jobs: list[Mapping[str, Any]]) -> Hit:
    message = f'no replicatedJob is labelled "{ANCESTOR_LABEL}: {ANCESTOR_TRAINER}", so that {_IGNORED}; label one'
    if not jobs:
        return Hit(message, runtime.place(*_JOBS))
    index = next((index for index, job in enumerate(jobs) if job.get("name") == NODE), 0)
    return Hit(message, runtime.place(*_JOBS, index, "name"), fix=_fix(runtime, jobs[index], index))


def _fix(runtime: LintedRuntime, job: Mapping[str, Any], index: int) -> Fix | None:
    """The label for what is named `node` and would be accepted with it; which one of others trains nobody can tell."""
    if job.get("name") != NODE or _label(job, _ON_JOB) is not None or job.get("replicas", 1) != 1:
        return None
    containers = value_at(job, _CONTAINERS) or ()
    if all(container.get("name") != NODE for container in containers):
        return None
    way, value = (*_ON_JOB, ANCESTOR_LABEL), ANCESTOR_TRAINER
    change: Any = value
    while len(way) > 1 and value_at(job, way[:-1]) is None:
        change, way = {way[-1]: change}, way[:-1]
    change = set_value(runtime.place(*_JOBS, index, *way), change)
    return Fix("label the replicatedJob `node` as the one that trains", (change,), is_safe=False)


CHECK = RuntimeCheck(ANCESTOR_LABEL_MISSING, _find)
