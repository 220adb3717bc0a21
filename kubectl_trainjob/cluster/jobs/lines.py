"""The lines of files that jobs in the cluster come from."""

from __future__ import annotations

from dataclasses import replace

from kubectl_trainjob.cluster.jobs.status import JobStatus
from kubectl_trainjob.cluster.jobs.training_job import training_job_of
from kubectl_trainjob.cluster.plan import FileRuns
from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import ObjectId


def with_place(status: JobStatus, files: FileRuns) -> JobStatus:
    """The status with the line of its reason, else of its job; unchanged if the files do not define the job."""
    run = files.runs.get((status.id.namespace, status.id.name))
    if run is None:
        return status
    training_job = training_job_of(run.place.source)
    name = training_job.name if training_job else ""
    return replace(status, place=_reason(status, run.id, files) or run.place, training_job=name)


def _reason(status: JobStatus, run: ObjectId, files: FileRuns) -> Place | None:
    """The line of the field, else of its nearest parent: a field may be missing."""
    generated = ObjectId(jobset.API_VERSION, jobset.KIND, run.namespace, run.name)
    pointers = (status.pointer[:length] for length in range(len(status.pointer), 1, -1))
    found = (files.locate(each, pointer) for pointer in pointers for each in (generated, run))
    return next(filter(None, found), None)
