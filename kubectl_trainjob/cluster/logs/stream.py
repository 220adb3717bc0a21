"""The output of the Pod in a slot. With `follow` it goes on in the next container or Pod until the job has ended."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError, error_of
from kubectl_trainjob.cluster.jobs.find import FoundJob
from kubectl_trainjob.cluster.logs.slots import NoSlotError, PodSlot
from kubectl_trainjob.cluster.protocol import ApiRequest
from kubectl_trainjob.cluster.runs import ending
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_POD = ObjectId("v1", "Pod", "", "")
_JOB_NAME, _INDEX = "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-completion-index"
_DEFAULT = "kubectl.kubernetes.io/default-container"
_TIME = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) ?")
_QUIET = 300.0  # seconds without a line, after which a stream is opened again
_PAUSE = 1.0
_NOT_STARTED = ("waiting to start", "is not available", "ContainerCreating", "PodInitializing")

Write = Callable[[bytes], None]
Note = Callable[[str], None]


class LogOptions(NamedTuple):
    """What is wanted of a log; `tail` is a number of lines, None for all."""

    container: str = ""
    follow: bool = False
    previous: bool = False
    tail: int | None = None


class Instance(NamedTuple):
    """A container of a Pod, between two restarts."""

    uid: str
    restarts: int


@dataclass
class LogReader:
    """Reads the log of one slot. `last` is the time of the newest line of the instance that is read."""

    api: Api
    job: FoundJob
    slot: PodSlot
    options: LogOptions
    write: Write
    note: Note
    last: bytes = b""
    done: Instance | None = field(default=None)

    def read(self) -> None:
        """Write what there is. Raises NoSlotError and ApiError."""
        pods = self._pods()
        if not pods:
            raise NoSlotError(f"Job {self.slot.job} has no Pod with index {self.slot.index}; status shows the reason")
        pod, previous = pods[-1], self.options.previous
        if previous and not instance_of(pod, self._container(pod)).restarts:
            if len(pods) < 2:
                raise NoSlotError(f"{pod['metadata']['name']} has not been restarted")
            pod, previous = pods[-2], False
        self._stream(pod, self._container(pod), {"previous": "true"} if previous else {})

    def follow(self) -> None:
        """Write lines as they come, until the Pod succeeds or the job ends."""
        while True:
            pods = self._pods()
            pod = pods[-1] if pods else None
            if pod is not None:
                self._follow(pod)
                if value_at(pod, ("status", "phase")) == "Succeeded":
                    return
            if self._has_ended() and self._has_no_more(pod):
                return
            self.api.clock.sleep(_PAUSE)

    def _follow(self, pod: Body) -> None:
        container = self._container(pod)
        instance = instance_of(pod, container)
        if self.done is not None and self.done != instance:
            self.note(f"{pod['metadata']['name']} continues after a restart")
            self.last = b""
        if not has_started(pod, container) or (self.done == instance and _is_over(pod, container)):
            return
        try:
            query = {"follow": "true", "timestamps": "true"}
            self._stream(pod, container, query | ({"sinceTime": _seconds(self.last)} if self.last else {}))
        except ApiError as error:
            if error.reason == "NotFound" or any(word in error.message for word in _NOT_STARTED):
                return
            raise
        self.done = instance

    def _has_ended(self) -> bool:
        run = self.api.get(self.job.id)
        return run is None or bool(ending(run)) or run["metadata"]["uid"] != (self.job.run or {})["metadata"]["uid"]

    def _has_no_more(self, pod: Body | None) -> bool:
        """Whether the newest container has been read."""
        if pod is None:
            return True
        container = self._container(pod)
        return not has_started(pod, container) or self.done == instance_of(pod, container)

    def _pods(self) -> list[Body]:
        """The Pods of the slot, from old to new."""
        selector = f"{_JOB_NAME}={self.slot.job}"
        if self.slot.is_indexed:
            selector += f",{_INDEX}={self.slot.index}"
        found = list(self.api.list(self.api.resource(_POD), self.job.id.namespace, selector))
        found.sort(key=lambda pod: (pod["metadata"].get("creationTimestamp") or "", pod["metadata"]["name"]))
        return found if self.slot.is_indexed else found[self.slot.index : self.slot.index + 1]

    def _container(self, pod: Body) -> str:
        """The container that was chosen, else the one that trains. Raises NoSlotError."""
        names = [each["name"] for each in pod["spec"]["containers"]]
        every = [*names, *(each["name"] for each in pod["spec"].get("initContainers") or ())]
        wanted = self.options.container
        if wanted and wanted not in every:
            raise NoSlotError(f'container "{wanted}" does not exist; the containers are: {", ".join(every)}')
        default = value_at(pod, ("metadata", "annotations", _DEFAULT))
        return wanted or next((name for name in (default, NODE) if name in names), names[0])

    def _stream(self, pod: Body, container: str, query: dict[str, str]) -> None:
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/log"
        tail = self.options.tail
        if tail is not None and not self.last and self.done is None:
            query = {**query, "tailLines": str(tail)}
        request = ApiRequest("GET", path, {"container": container, **query})
        answer = self.api.stream(request, self._line, quiet=_QUIET if "follow" in query else None)
        if not answer.is_success:
            raise error_of(answer, None)

    def _line(self, line: bytes) -> bool:
        """Write a line that is new, without the time that was requested with it."""
        stamp = _TIME.match(line) if self.options.follow else None
        if stamp:
            if stamp[1] <= self.last:
                return True
            self.last, line = stamp[1], line[stamp.end() :]
        self.write(line)
        return True


def instance_of(pod: Body, container: str) -> Instance:
    """The instance of a container that runs, or ran last."""
    return Instance(pod["metadata"]["uid"], _status(pod, container).get("restartCount") or 0)


def has_started(pod: Body, container: str) -> bool:
    """Whether a container has a log; a Pod whose kubelet reports no containers has one if it runs or has ended."""
    state = _status(pod, container).get("state") or {}
    return bool(state.get("running") or state.get("terminated")) if state else _phase(pod) not in ("Pending", "")


def _is_over(pod: Body, container: str) -> bool:
    state = _status(pod, container).get("state") or {}
    return "running" not in state if state else _phase(pod) in ("Succeeded", "Failed")


def _status(pod: Body, container: str) -> Body:
    lists = (value_at(pod, ("status", key)) or () for key in ("containerStatuses", "initContainerStatuses"))
    return next((each for statuses in lists for each in statuses if each["name"] == container), {})


def _phase(pod: Body) -> str:
    return str(value_at(pod, ("status", "phase")) or "")


def _seconds(stamp: bytes) -> str:
    """The time without fractions, as `sinceTime` wants it."""
    return re.sub(r"\.\d+", "", stamp.decode())
