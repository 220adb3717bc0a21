"""KTJ612: Kueue reads the queue of a training from one label, `kueue.x-k8s.io/queue-name` in the metadata of the
TrainJob (of the JobSet, where that is what is applied)."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.kube.facts.validation import dns_1123_subdomain
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import At, Hit
from kubectl_trainjob.lint.queues import kueue_queue
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Edit, Fix, set_value
from kubectl_trainjob.model.source import Pointer, has, value_at

_LABEL: Pointer = ("metadata", "labels", KUEUE_QUEUE_LABEL)
_ANNOTATION: Pointer = ("metadata", "annotations", KUEUE_QUEUE_LABEL)
_ADVICE = "label the TrainJob's own metadata instead"
# By this label Kueue takes Pods for a group of their own, which is another way to use it.
_POD_GROUP: Pointer = ("metadata", "labels", "kueue.x-k8s.io/pod-group-name")


def _find(job: LintedJob) -> Iterator[Hit]:
    queue = kueue_queue(job)
    if queue is None:
        yield from _misplaced(job)
    elif wrong := dns_1123_subdomain(queue.name):
        yield Hit(f'"{queue.name}" cannot be a LocalQueue\'s name: it {wrong}; write the name of one', queue.at)


def _misplaced(job: LintedJob) -> Iterator[Hit]:
    """The first place where somebody wrote a queue, and Kueue does not read it."""
    stated = value_at(job.resolved.job.body, _ANNOTATION)
    if stated is not None:
        message = f'Kueue reads the queue "{stated}" from a label, not from an annotation; move it to metadata.labels'
        yield Hit(message, job.in_train_job(*_ANNOTATION), fix=_fix(job, stated))
        return
    found = next(_elsewhere(job), None)
    if found is not None:
        yield Hit(*found)


def _elsewhere(job: LintedJob) -> Iterator[tuple[str, At]]:
    if has(job.jobset, _LABEL):
        yield f"Kueue does not read the queue of a TrainJob from its JobSet; {_ADVICE}", _written(job, _LABEL)
    for each in job.replicated_jobs:
        for kind, pointer in (("Job", each.in_job()), ("Pod", each.in_pod()[:-1])):
            if has(job.jobset, (*pointer, *_LABEL)) and not has(job.jobset, (*pointer, *_POD_GROUP)):
                message = f'Kueue would hold back each {kind} of "{each.name}" for itself; {_ADVICE}'
                yield message, _written(job, (*pointer, *_LABEL))
    if has(job.resolved.runtime.body, _LABEL):
        yield f"Kueue does not read the queue from a runtime; {_ADVICE}", job.in_runtime(*_LABEL)


def _written(job: LintedJob, pointer: Pointer) -> At:
    """The place in the runtime, the same for all its TrainJobs, unless something else wrote the label."""
    in_runtime = ("spec", "template", *pointer)
    is_runtimes = value_at(job.resolved.runtime.body, in_runtime) == value_at(job.jobset, pointer)
    return job.in_runtime(*in_runtime) if is_runtimes else job.made(pointer)


def _fix(job: LintedJob, queue: str) -> Fix:
    labels = job.resolved.job.body["metadata"].get("labels")
    label = set_value(job.in_train_job(*_LABEL), queue)
    if not labels:
        label = set_value(job.in_train_job(*_LABEL[:-1]), {KUEUE_QUEUE_LABEL: queue})
    changes = (Edit(job.in_train_job(*_ANNOTATION)), label)
    return Fix("make a label of the annotation", changes, is_safe=False)


CHECK = JobCheck(rules.KUEUE_QUEUE_LABEL, _find)
