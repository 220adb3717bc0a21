"""What the cluster says about some jobs: their Pods, warnings, Workloads of Kueue, and Secrets that do not exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kubectl_trainjob.cluster import kueue
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.jobs.find import FoundJob, Note, owner_of
from kubectl_trainjob.cluster.jobs.secrets import required_secrets
from kubectl_trainjob.cluster.runs import ending
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_OF_JOBS = "batch.kubernetes.io/job-name"
_WARNINGS = "type=Warning"
_POD, _EVENT = ObjectId("v1", "Pod", "", ""), ObjectId("v1", "Event", "", "")


@dataclass(frozen=True, slots=True, eq=False)
class SeenJob:
    """A job with all that explains its state, as it was at the server's time `now`, RFC 3339.

    `warnings` are events about its objects, the newest first. `missing_secrets` are names that its Pods refer to.
    """

    found: FoundJob
    now: str
    pods: tuple[Body, ...] = ()
    warnings: tuple[Body, ...] = ()
    workload: Body | None = None
    has_kueue: bool = False
    missing_secrets: tuple[str, ...] = ()


def see(api: Api, found: Sequence[FoundJob], note: Note) -> list[SeenJob]:
    """All objects of the jobs. Objects without read permission are omitted, with a note."""
    reader = _ClusterReader(api, note)
    open_spaces = {job.id.namespace for job in found if job.run is not None and ending(job.run) != "Completed"}
    pods = group((owner_of(each), each) for each in reader.each(_POD, open_spaces, selector=_OF_JOBS))
    events = reader.each(_EVENT, open_spaces, fields=_WARNINGS)
    warnings = group((str(each["involvedObject"].get("uid", "")), each) for each in events)
    version = kueue.version(api)
    workloads = {}
    if version:
        spaces = {job.id.namespace for job in found if job.run is not None and not ending(job.run)}
        listed = reader.each(ObjectId(version, "Workload", "", ""), spaces)
        workloads = {each["metadata"].get("labels", {}).get(kueue.JOB_UID): each for each in listed}
    return [
        SeenJob(
            job,
            api.date,
            tuple(pod for each in job.jobs for pod in pods.get(each["metadata"]["uid"], ())),
            tuple(_warnings(job, pods, warnings)),
            workloads.get(job.run["metadata"]["uid"]) if job.run else None,
            bool(version),
            tuple(reader.missing_secrets(job)),
        )
        for job in found
    ]


class _ClusterReader:
    """Reads what the user may read, and notes once what is forbidden."""

    def __init__(self, api: Api, note: Note) -> None:
        self._api, self._note = api, note
        self._secrets: dict[ObjectId, bool] = {}

    def each(self, kind: ObjectId, spaces: Iterable[str], selector: str = "", fields: str = "") -> Iterator[Body]:
        """The objects of a kind in some namespaces."""
        for namespace in sorted(spaces):
            try:
                yield from self._api.list(self._api.resource(kind), namespace, selector, fields=fields)
            except ApiError as error:
                self._note(f"{kind.kind}s in {namespace} are not read ({error.reason}: {error.message})")

    def missing_secrets(self, job: FoundJob) -> Iterator[str]:
        """The Secrets that a job that has not ended waits for."""
        if job.run is None or ending(job.run) or any(value_at(each, ("status", "ready")) for each in job.jobs):
            return
        for name in required_secrets(job):
            identity = ObjectId("v1", "Secret", job.id.namespace, name)
            if identity not in self._secrets:
                self._secrets[identity] = self._is_missing(identity)
            if self._secrets[identity]:
                yield name

    def _is_missing(self, identity: ObjectId) -> bool:
        try:
            return self._api.get(identity, is_secret=True) is None
        except ApiError:
            return False


def _warnings(job: FoundJob, pods: dict[str, list[Body]], warnings: dict[str, list[Body]]) -> list[Body]:
    subjects = [*job.objects, *(pod for each in job.jobs for pod in pods.get(each["metadata"]["uid"], ()))]
    found = [event for each in subjects for event in warnings.get(each["metadata"]["uid"], ())]
    return sorted(found, key=time_of, reverse=True)


def time_of(event: Body) -> str:
    """When an event was seen last, RFC 3339."""
    series = event.get("series") or {}
    times = (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime"))
    return next(filter(None, times), "") or ""
