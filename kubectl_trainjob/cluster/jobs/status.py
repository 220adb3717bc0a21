"""The state of a job: a pure function of what the cluster has of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.jobs.find import owner_of
from kubectl_trainjob.cluster.jobs.problems import ROLE_LABEL, JobProblem, is_deactivated, problem_of, queue_problem
from kubectl_trainjob.cluster.jobs.secrets import pod_specs
from kubectl_trainjob.cluster.jobs.seen import SeenJob
from kubectl_trainjob.cluster.runs import conditions, ending, is_deleting
from kubectl_trainjob.kube.facts.pod_requests import is_gpu, requests_of
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.facts.resources import add_to
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.kube.launch.replicated_jobs import replicated_jobs
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.source import Place, Pointer, value_at
from kubectl_trainjob.model.stages import Body, ObjectId

State = Literal["Pending", "Running", "Suspended", "Succeeded", "Failed", "Gone"]

_DEADLINE = "DeadlineExceeded"
_COUNTS = ("ready", "active", "succeeded", "failed")
_IN_WORK = ("RestartingJobSet", "StartupPolicyInProgress")


@dataclass(frozen=True, slots=True)
class RoleCounts:
    """The Pods of a replicatedJob, or of a Job. `pods` should run at the same time; the rest is as the Jobs count.

    `restarts` counts restarts of the JobSet, and of the containers of the Pods that exist.
    """

    name: str
    pods: int
    ready: int = 0
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    restarts: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class JobStatus:
    """What a job does. Times are RFC 3339; "" and None mean unknown.

    `pointer` leads to the field that is the reason, in the JobSet, or in the run if it has none. `place` is the line in
    the files, if they are at hand; `training_job` is then the name of the TrainingJob of OME that it comes from.
    `jobset` is the JobSet as it is in the cluster.
    """

    id: ObjectId
    state: State
    reason: str = ""
    message: str = ""
    train_job: str = ""
    uid: str = ""
    is_suspended: bool | None = None
    created: str = ""
    finished: str = ""
    gpus: Mapping[str, Quantity] | None = None
    queue: str = ""
    roles: tuple[RoleCounts, ...] = ()
    conditions: tuple[Body, ...] = ()
    now: str = ""
    pointer: Pointer = ()
    place: Place | None = None
    jobset: Body | None = None
    training_job: str = ""


def status_of(job: SeenJob) -> JobStatus:
    """The status of one job."""
    found, run = job.found, job.found.run
    uid = found.entry.uid if found.entry else ""
    ended = found.entry.ended if found.entry and (run is None or run["metadata"]["uid"] == uid) else ""
    if run is None:
        state: State = "Failed" if ended else "Gone"
        return JobStatus(found.id, state, ended, train_job=found.train_job, uid=uid)
    state, problem = _state(job, ended)
    metadata = run["metadata"]
    return JobStatus(
        found.id,
        state,
        problem.reason if problem else "",
        problem.message if problem else "",
        found.train_job,
        metadata["uid"],
        value_at(run, ("spec", "suspend")) is True,
        metadata.get("creationTimestamp") or "",
        _finished(run),
        _gpus(job),
        marks.label(run, KUEUE_QUEUE_LABEL),
        tuple(_roles(job)),
        tuple(conditions(run)),
        job.now,
        problem.pointer if problem else (),
        jobset=found.jobset,
    )


def _state(job: SeenJob, ended: str) -> tuple[State, JobProblem | None]:
    run = job.found.run or {}
    end = ending(run) or ("Failed" if ended else "")
    if end == "Completed":
        return "Succeeded", None
    if end == "Failed":
        return "Failed", _failure(job, ended)
    if value_at(run, ("spec", "suspend")) is True:
        waiting = queue_problem(job)
        return ("Pending", waiting) if waiting else ("Suspended", _stopped(job))
    if is_deleting(run):
        return "Running" if _runs(job) else "Pending", JobProblem("", "the job is being deleted")
    problem = problem_of(job)
    if _runs(job):
        return "Running", problem
    return "Pending", problem or _in_work(job)


def _runs(job: SeenJob) -> bool:
    """Whether Pods run: all those of a Job of the JobSet, or at least one of a Job without a JobSet."""
    for body in (job.found.run, job.found.jobset):
        for key in ("replicatedJobsStatus", "jobsStatus"):
            if any(each.get("ready") for each in value_at(body, ("status", key)) or ()):
                return True
    return job.found.jobset is None and any(value_at(each, ("status", "ready")) for each in job.found.jobs)


def _failure(job: SeenJob, ended: str) -> JobProblem:
    found = next((each for each in _failed_conditions(job)), {})
    is_late = ended == _DEADLINE or any(each.get("reason") == _DEADLINE for each in _failed_conditions(job))
    reason = _DEADLINE if is_late else "FailedJobs"
    if job.found.id.kind == "TrainJob" and found.get("reason") == "TrainingRuntimeNotSupported":
        reason = "JobCreationFailed"
    text = str(found.get("message") or "")
    return JobProblem(reason, "; ".join(filter(None, (text, *_exits(job)))))


def _failed_conditions(job: SeenJob) -> Iterator[Body]:
    for body in job.found.objects:
        yield from (each for each in conditions(body) if (each.get("type"), each.get("status")) == ("Failed", "True"))


def _exits(job: SeenJob) -> Iterator[str]:
    """How the first Pod ended that failed."""
    failed = (pod for pod in job.pods if value_at(pod, ("status", "phase")) == "Failed")
    for pod in sorted(failed, key=lambda each: each["metadata"].get("creationTimestamp") or ""):
        for each in value_at(pod, ("status", "containerStatuses")) or ():
            end = value_at(each, ("state", "terminated")) or {}
            if end.get("exitCode"):
                why = f" ({end['reason']})" if end.get("reason") not in (None, "Error") else ""
                yield f'container "{each["name"]}" of {pod["metadata"]["name"]} exited with {end["exitCode"]}{why}'
                return


def _stopped(job: SeenJob) -> JobProblem | None:
    """Why Kueue has stopped a job that a user, or its limit of retries, took out of the queue."""
    if not is_deactivated(job) or job.workload is None:
        return None
    evicted = (each for each in conditions(job.workload) if each.get("type") == "Evicted")
    return JobProblem("", str(next(evicted, {}).get("message") or ""))


def _in_work(job: SeenJob) -> JobProblem | None:
    true_conditions = (each for each in conditions(job.found.jobset or {}) if each.get("status") == "True")
    message = next((str(each.get("message") or "") for each in true_conditions if each.get("type") in _IN_WORK), "")
    return JobProblem("", message) if message else None


def _finished(run: Body) -> str:
    ends = ("Complete", "Completed", "Failed")
    found = (each for each in conditions(run) if each.get("type") in ends and each.get("status") == "True")
    return str(next((each.get("lastTransitionTime") or "" for each in found), ""))


def _gpus(job: SeenJob) -> Mapping[str, Quantity]:
    counts = [each.pods for each in replicated_jobs(job.found.jobset)] if job.found.jobset else _parallel(job)
    sums: dict[str, Quantity] = {}
    for count, (_, spec) in zip(counts, pod_specs(job.found), strict=False):
        add_to(sums, requests_of(spec, count))
    return {name: sums[name] for name in sorted(sums) if is_gpu(name)}


def _parallel(job: SeenJob) -> list[int]:
    return [each["spec"].get("parallelism", 1) for each in job.found.jobs]


def _roles(job: SeenJob) -> Iterator[RoleCounts]:
    found = job.found
    restarted: dict[str, int] = {}
    for pod in job.pods:
        statuses = value_at(pod, ("status", "containerStatuses")) or ()
        owner = owner_of(pod)
        restarted[owner] = restarted.get(owner, 0) + sum(each.get("restartCount") or 0 for each in statuses)
    if found.jobset is None:
        yield from (_counts(restarted, found.id.name, size, found.jobs, 0) for size in _parallel(job))
        return
    restarts = value_at(found.jobset, ("status", "restarts")) or 0
    of_roles = group((marks.label(body, ROLE_LABEL), body) for body in found.jobs)
    for each in replicated_jobs(found.jobset):
        yield _counts(restarted, each.name, each.pods, of_roles.get(each.name, ()), restarts)


def _counts(restarted: Mapping[str, int], name: str, size: int, jobs: Sequence[Body], restarts: int) -> RoleCounts:
    """`restarted` are the restarts of containers by the uid of the Job."""
    restarts += sum(restarted.get(body["metadata"]["uid"], 0) for body in jobs)
    counts = {key: sum(value_at(each, ("status", key)) or 0 for each in jobs) for key in _COUNTS}
    return RoleCounts(name, size, restarts=restarts, **counts)
