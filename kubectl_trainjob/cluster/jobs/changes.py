"""When to read jobs again: after a change that a watch reports. Where watches are forbidden, every two seconds."""

from __future__ import annotations

from threading import Event, Thread

from kubectl_trainjob.cluster import kueue
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.jobs.find import KINDS
from kubectl_trainjob.cluster.watching import WatchedKind, follow
from kubectl_trainjob.model.stages import ObjectId

_OTHERS = (("v1", "Pod"), ("v1", "Event"))
_POLL = 2.0
_PAUSE = 1.0  # seconds from a change to the next read, because changes come in groups
_LONGEST = 30.0  # seconds without a read: some states depend on the time
_RESYNC = 3600.0


class Changes:
    """Watches the objects of all jobs in a namespace, "" for all namespaces, until the process ends."""

    def __init__(self, api: Api, namespace: str) -> None:
        self._api, self._namespace = api, namespace
        self._changed, self._is_polled = Event(), False
        kinds = [*KINDS, *_OTHERS, *([(version, "Workload")] if (version := kueue.version(api)) else [])]
        for kind in kinds:
            if api.has_kind(*kind):
                Thread(target=self._watch, args=(ObjectId(*kind, "", ""),), daemon=True, name="watch").start()

    def wait(self, *, is_complete: bool) -> None:
        """Wait until something may have changed; without `is_complete` there are jobs that are not watched."""
        has_changed = self._changed.wait(_LONGEST if is_complete and not self._is_polled else _POLL)
        if has_changed:
            self._api.clock.sleep(_PAUSE)
            self._changed.clear()

    def _watch(self, kind: ObjectId) -> None:
        stop = Event()

        def restarted(reason: str, _message: str) -> None:
            if reason == "Forbidden":
                self._is_polled = True
                stop.set()
            self._changed.set()

        watched = WatchedKind(
            kind, self._namespace, _RESYNC, lambda _all: None, lambda _one: None, self._changed.set, restarted
        )
        follow(watched, lambda: self._api, self._api.clock, stop)
