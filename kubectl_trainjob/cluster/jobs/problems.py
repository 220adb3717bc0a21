"""What keeps a job from starting: the first problem that the cluster reports, as reason, message, and field.

A row of `_FINDERS` finds one kind of problem. The order is that of the life of a job. The texts of the controllers were
recorded with Kubernetes 1.36, JobSet 0.12 and Kueue 0.19.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.errors import mask_data
from kubectl_trainjob.cluster.jobs.secrets import pod_specs, required_secrets
from kubectl_trainjob.cluster.jobs.seen import SeenJob
from kubectl_trainjob.cluster.jobs_of import pointer as pointer_of
from kubectl_trainjob.cluster.runs import conditions, has_queue
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.kube.facts.jobset import job_template
from kubectl_trainjob.kube.facts.resources import request_pointers
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.kube.launch.replicated_jobs import replicated_jobs
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body

ROLE_LABEL = "jobset.sigs.k8s.io/replicatedjob-name"
_SILENCE = 30.0  # seconds after which a controller must have written a status
_QUEUE_MISSING = re.compile(r"(?:Local|Cluster)Queue \S+ (?:doesn't exist|is inactive)|doesn't match ClusterQueue")
_JOB = re.compile(r'job "([^"]+)" creation failed')
_FIELD = re.compile(r"\b(spec(?:\.[\w-]+|\[[^\[\]]+\])+)")
_NO_SECRET = re.compile(r'secret "?([^" ]+)"? not found')
_IMAGE = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"})
_INSUFFICIENT = re.compile(r"Insufficient ([^\s,.]+(?:\.[^\s,.]+)*(?:/[^\s,.]+)?)")
_MOUNTS = frozenset({"FailedMount", "Failed", "FailedCreatePodSandBox"})


class JobProblem(NamedTuple):
    """Why a job does not start. `pointer` leads into its JobSet, or into its Job or TrainJob if it has none."""

    reason: str
    message: str
    pointer: Pointer = ()


def problem_of(job: SeenJob) -> JobProblem | None:
    """The problem of a job that has not ended, None for none."""
    found = next(filter(None, (find(job) for find in _FINDERS)), None)
    return found._replace(message=mask_data(found.message, job.found.jobset or job.found.run)) if found else None


def queue_problem(job: SeenJob) -> JobProblem | None:
    """Why Kueue does not start a suspended job; None if Kueue has nothing to do with it, or if a user stopped it."""
    run, pointer = job.found.run, ("metadata", "labels", KUEUE_QUEUE_LABEL)
    if run is None or not job.has_kueue or is_deactivated(job) or not (has_queue(run) or job.workload):
        return None
    if job.workload is None:
        message = "Kueue has not created its Workload; if this does not change, check the priority class of the job"
        return JobProblem("Queued", message, pointer)
    by_type = {each["type"]: each for each in conditions(job.workload)}
    reserved, evicted = by_type.get("QuotaReserved"), by_type.get("Evicted")
    text = str((reserved or {}).get("message") or "")
    if reserved is None or reserved["status"] == "True":
        text = "waiting for admission checks" if reserved else "waiting in the queue"
    elif not text and evicted and evicted["status"] == "True":
        text = str(evicted.get("message") or "")
    return JobProblem("QueueMissing" if _QUEUE_MISSING.search(text) else "Queued", text, pointer)


def is_deactivated(job: SeenJob) -> bool:
    """Whether a user, or Kueue's limit of retries, took the Workload of the job out of its queue."""
    return value_at(job.workload, ("spec", "active")) is False


def _not_created(job: SeenJob) -> JobProblem | None:
    """A Job that the controller of JobSet could not create, and that still does not exist."""
    names = {each["metadata"]["name"] for each in job.found.jobs}
    for event in _events(job, "JobCreationFailed"):
        named = _JOB.match(event["message"])
        if named is None or named[1] not in names:
            return JobProblem("JobCreationFailed", event["message"], _late_field(job, event["message"]))
    return None


def _late_field(job: SeenJob, message: str) -> Pointer:
    """The field of the JobSet that a Job's error names."""
    field = _FIELD.search(message.partition(" is invalid: ")[2])
    for each in replicated_jobs(job.found.jobset or {}):
        if f'job "{job.found.id.name}-{each.name}-' in message:
            return (*job_template(each.position), *(pointer_of(field[1]) if field else ()))
    return ()


def _no_status(job: SeenJob) -> JobProblem | None:
    body = job.found.jobset or job.found.run or {}
    if body.get("status") or seconds_between(body["metadata"].get("creationTimestamp", ""), job.now) < _SILENCE:
        return None
    who = {"TrainJob": "Trainer", "JobSet": "the controller of JobSet"}.get(body["kind"], "the controller of Jobs")
    return JobProblem("NoStatus", f"no controller has written a status; check that {who} runs")


def _no_pods(job: SeenJob) -> JobProblem | None:
    failed: dict[str, Body] = {}
    for event in _events(job, "FailedCreate"):
        failed.setdefault(event["involvedObject"].get("uid", ""), event)
    for each in job.found.jobs:
        status, found = each.get("status") or {}, failed.get(each["metadata"]["uid"])
        if found and (status.get("active") or 0) + (status.get("succeeded") or 0) < _wanted_pods(each):
            return JobProblem("PodCreationFailed", found["message"], _pod_field(job, each, found["message"]))
    return None


def _wanted_pods(job: Body) -> int:
    spec = job["spec"]
    parallelism: int = spec.get("parallelism", 1)
    return min(parallelism, spec.get("completions") or parallelism)


def _pod_field(job: SeenJob, batch: Body, message: str) -> Pointer:
    pointer, spec = _template_of(job, batch)
    for key, word in (("serviceAccountName", "service account"), ("priorityClassName", "PriorityClass")):
        if word in message and key in spec:
            return (*pointer, key)
    return pointer


def _unschedulable(job: SeenJob) -> JobProblem | None:
    for pod in job.pods:
        for each in conditions(pod):
            if (each["type"], each["status"]) == ("PodScheduled", "False"):
                message = str(each.get("message") or each.get("reason") or "")
                return JobProblem("Unschedulable", message, _request(job, pod, message))
    return None


def _request(job: SeenJob, pod: Body, message: str) -> Pointer:
    """The request that no node can meet, else the Pod spec."""
    pointer, spec = _template_of(job, pod)
    resource = _INSUFFICIENT.search(message)
    if resource is None:
        key = next((key for key in ("nodeSelector", "affinity") if key in spec), None)
        return (*pointer, key) if key and "node" in message else pointer
    below = next(request_pointers(spec, resource[1]), None)
    if below is None:
        limits = ("resources", "limits", resource[1])
        containers = enumerate(spec.get("containers") or ())
        below = next((("containers", nth, *limits) for nth, each in containers if value_at(each, limits)), ())
    return (*pointer, *below)


def _no_secret(job: SeenJob) -> JobProblem | None:
    texts = [str(each.get("message") or "") for pod in job.pods for _, each in _waiting(pod)]
    texts += [event["message"] for event in job.warnings if event.get("reason") in _MOUNTS]
    named = next(filter(None, map(_NO_SECRET.search, texts)), None)
    name = named[1].rpartition("/")[2] if named and _has_waiting(job) else next(iter(job.missing_secrets), "")
    if not name:
        return None
    message = f'the Secret "{name}" does not exist; create it, for MPI and Flux with: kubectl trainjob secrets --create'
    return JobProblem("MissingSecret", message, required_secrets(job.found).get(name, ()))


def _no_image(job: SeenJob) -> JobProblem | None:
    for pod in job.pods:
        for status, waiting in _waiting(pod):
            if waiting.get("reason") in _IMAGE:
                pointer, spec = _template_of(job, pod)
                names = [each["name"] for each in spec.get("containers") or ()]
                below = ("containers", names.index(status["name"]), "image") if status["name"] in names else ()
                return JobProblem("ImagePull", str(waiting.get("message") or waiting["reason"]), (*pointer, *below))
    return None


def _template_of(job: SeenJob, generated: Body) -> tuple[Pointer, Body]:
    """The Pod spec that a Job or a Pod comes from, with its pointer."""
    role = marks.label(generated, ROLE_LABEL)
    names = [each.name for each in replicated_jobs(job.found.jobset)] if job.found.jobset else []
    specs = list(pod_specs(job.found))
    return specs[names.index(role) if role in names else 0] if specs else ((), {})


def _has_waiting(job: SeenJob) -> bool:
    """Whether a Pod waits for something: without one, an event is old."""
    return any(value_at(pod, ("status", "phase")) == "Pending" for pod in job.pods)


def _waiting(pod: Body) -> Iterator[tuple[Body, Body]]:
    """The status of each container that waits, and why it does."""
    for kind in ("initContainerStatuses", "containerStatuses"):
        for status in value_at(pod, ("status", kind)) or ():
            if waiting := value_at(status, ("state", "waiting")):
                yield status, waiting


def _events(job: SeenJob, reason: str) -> Iterable[Body]:
    return (each for each in job.warnings if each.get("reason") == reason)


_FINDERS: tuple[Callable[[SeenJob], JobProblem | None], ...] = (
    _not_created,
    _no_status,
    _no_pods,
    _unschedulable,
    _no_image,
    _no_secret,
)
