"""Where Kueue reads the queue of a training.

Mirrors QueueName in kueue `pkg/controller/jobframework`: a label of the object that Kueue manages, which is the
TrainJob, or the JobSet where no TrainJob is in the cluster.
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.lint.hit import At
from kubectl_trainjob.lint.views import LintedJob


class Queue(NamedTuple):
    """The name of a LocalQueue as stated, and where that stands."""

    name: str
    at: At


def kueue_queue(job: LintedJob) -> Queue | None:
    """The queue of a TrainJob, None where Kueue finds none."""
    label = ("metadata", "labels", KUEUE_QUEUE_LABEL)
    name = (job.resolved.job.body["metadata"].get("labels") or {}).get(KUEUE_QUEUE_LABEL)
    if name is not None:
        return Queue(name, job.in_train_job(*label))
    if job.around.emit == "trainjob":
        return None
    name = (job.jobset["metadata"].get("labels") or {}).get(KUEUE_QUEUE_LABEL)
    return None if name is None else Queue(name, job.made(label))
