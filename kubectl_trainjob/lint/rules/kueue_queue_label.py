"""KTJ612: Kueue reads the queue of a training from the label `kueue.x-k8s.io/queue-name` of the TrainJob. Where JobSets
are applied, it is the label of the JobSet."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.kube.facts.validation import dns_1123_subdomain
from kubectl_trainjob.lint.check import At, Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Edit, Fix, set_value
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.source import Pointer, has, value_at

_LABEL: Pointer = ("metadata", "labels", KUEUE_QUEUE_LABEL)
_ANNOTATION: Pointer = ("metadata", "annotations", KUEUE_QUEUE_LABEL)
_NOT_A_NAME = '"{}" cannot be the name of a LocalQueue: it {}; write the name of one'
_NOT_A_LABEL = 'Kueue reads the queue "{}" from a label, not from an annotation; move it to metadata.labels'
_OF_JOBSET = "Kueue does not read the queue of a TrainJob from its JobSet; label the TrainJob instead"
_OF_RUNTIME = "Kueue does not read the queue from a runtime; label the TrainJob instead"
_OF_PART = 'Kueue would queue each {} of "{}" separately; label the TrainJob instead'
# With this label Kueue queues the Pods as one group, which is another way to use it.
_POD_GROUP: Pointer = ("metadata", "labels", "kueue.x-k8s.io/pod-group-name")


def find(job: LintedJob) -> Iterator[Hit]:
    """Names that cannot be a queue, and queues that are not in this label."""
    queue = job.queue()
    if queue is None:
        yield from _misplaced_labels(job)
    elif error := dns_1123_subdomain(queue[0]):
        yield Hit(say(_NOT_A_NAME, queue[0], error), queue[1])


def _misplaced_labels(job: LintedJob) -> Iterator[Hit]:
    """The first place with a queue that Kueue does not read."""
    name = value_at(job.resolved.job.body, _ANNOTATION)
    if name is not None:
        yield Hit(say(_NOT_A_LABEL, name), job.in_train_job(*_ANNOTATION), fix=_fix(job, name))
        return
    found = next(_elsewhere(job), None)
    if found is not None:
        yield Hit(*found)


def _elsewhere(job: LintedJob) -> Iterator[tuple[Message, At]]:
    if has(job.jobset, _LABEL):
        yield say(_OF_JOBSET), _place_of_label(job, _LABEL)
    for each in job.replicated_jobs:
        for kind, pointer in (("Job", each.in_job()), ("Pod", each.in_pod()[:-1])):
            if has(job.jobset, (*pointer, *_LABEL)) and not has(job.jobset, (*pointer, *_POD_GROUP)):
                yield say(_OF_PART, kind, each.name), _place_of_label(job, (*pointer, *_LABEL))
    if has(job.resolved.runtime.body, _LABEL):
        yield say(_OF_RUNTIME), job.in_runtime(*_LABEL)


def _place_of_label(job: LintedJob, pointer: Pointer) -> At:
    """The place in the runtime, which is the same for all its TrainJobs, unless another input sets the label."""
    in_runtime = ("spec", "template", *pointer)
    is_runtimes = value_at(job.resolved.runtime.body, in_runtime) == value_at(job.jobset, pointer)
    return job.in_runtime(*in_runtime) if is_runtimes else job.generated(pointer)


def _fix(job: LintedJob, queue: str) -> Fix:
    labels = job.resolved.job.body["metadata"].get("labels")
    label = set_value(job.in_train_job(*_LABEL), queue)
    if not labels:
        label = set_value(job.in_train_job(*_LABEL[:-1]), {KUEUE_QUEUE_LABEL: queue})
    edits = (Edit(job.in_train_job(*_ANNOTATION)), label)
    return Fix(say("replace the annotation by a label"), edits, is_safe=False)
