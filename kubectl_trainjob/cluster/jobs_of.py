"""The Jobs that a JobSet will create, tried in a dry run: the JobSet's own dry run does not find their errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.steps import Step, Work
from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.facts.jobset import job_template
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body, ObjectId, identity_of

_STEP = re.compile(r"([^.\[\]]+)|\[([^\[\]]+)\]")


class JobCreationProblem(NamedTuple):
    """An error of the server about a Job, and the paths in the JobSet that it is about."""

    error: ApiError
    pointers: tuple[Pointer, ...]

    def on(self, work: Work, step: Step) -> Step:
        """The step, failed, with its line."""
        return step.failed(self.error).located(work, self.pointers)


def check_jobs(work: Work, identity: ObjectId, jobset: Body) -> JobCreationProblem | None:
    """The first problem of the Jobs of a JobSet; None for other kinds and for none.

    The JobSet may have another name than the `identity` of the run that it is for.
    """
    if role_of(identity) is not KindRole.JOB_SET:
        return None
    for index, job in _jobs(jobset):
        try:
            work.api.create(job, dry_run=True)
        except ApiError as error:
            if error.reason == "Exists" and not _blocks(work.api, job):
                continue
            if error.reason not in ("Invalid", "Error", "Exists"):
                raise
            return JobCreationProblem(error, tuple((*job_template(index), *pointer(each)) for each in error.fields))
    return None


def _blocks(api: Api, job: Body) -> bool:
    """Whether an existing Job stays: one with an owner is deleted with its JobSet."""
    live = api.get(identity_of(job))
    return live is not None and not live["metadata"].get("ownerReferences")


def _jobs(jobset: Body) -> Iterator[tuple[int, Body]]:
    """One Job of each replicatedJob, named as JobSet names it."""
    head = jobset["metadata"]
    for index, each in enumerate(webhook_defaults(jobset)["spec"].get("replicatedJobs") or ()):
        template = each.get("template") or {}
        metadata = {
            **(template.get("metadata") or {}),
            "name": f"{head['name']}-{each['name']}-0",
            "namespace": head.get("namespace", ""),
        }
        yield index, {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.get("spec") or {}}


def pointer(path: str) -> Pointer:
    """The pointer of a path in the server's words: `spec.containers[0].resources.limits[nvidia.com/gpu]`."""
    return tuple(name or (int(key) if key.isdigit() else key) for name, key in _STEP.findall(path))
