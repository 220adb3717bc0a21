"""Where Kueue reads the queue of a training.

Mirrors QueueName in kueue `pkg/controller/jobframework`: a label of the object that Kueue manages. That is the
TrainJob, or the JobSet where no TrainJob is in the cluster.
"""

from __future__ import annotations

from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.lint.check import At
from kubectl_trainjob.lint.views import LintedJob


def kueue_queue(job: LintedJob) -> tuple[str, At] | None:
    """The name of a TrainJob's LocalQueue as written, and its location; None where Kueue finds none."""
    label = ("metadata", "labels", KUEUE_QUEUE_LABEL)
    name = (job.resolved.job.body["metadata"].get("labels") or {}).get(KUEUE_QUEUE_LABEL)
    if name is not None:
        return name, job.in_train_job(*label)
    if job.context.emit == "trainjob":
        return None
    name = (job.jobset["metadata"].get("labels") or {}).get(KUEUE_QUEUE_LABEL)
    return None if name is None else (name, job.generated(label))
