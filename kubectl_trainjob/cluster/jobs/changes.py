"""When to read jobs again: after a change that a watch reports. Where watches are forbidden, every two seconds."""

from __future__ import annotations

from collections.abc import Set
from itertools import product
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
    """Watches the objects of all jobs in some namespaces, "" for all namespaces, until the process ends."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._changed, self._is_polled = Event(), False
        self._watched = set[str]()
        workload = [(version, "Workload")] if (version := kueue.version(api)) else []
        self._kinds = [ObjectId(*kind, "", "") for kind in (*KINDS, *_OTHERS, *workload) if api.has_kind(*kind)]

    def watch(self, namespaces: Set[str]) -> None:
        """Watch namespaces, too."""
        for at in product(self._kinds, sorted(namespaces - self._watched)):
            Thread(target=self._follow, args=at, daemon=True, name="watch").start()
        self._watched |= namespaces

    def wait(self) -> None:
        """Wait until something may have changed."""
        has_changed = self._changed.wait(_POLL if self._is_polled else _LONGEST)
        if has_changed:
            self._api.clock.sleep(_PAUSE)
            self._changed.clear()

    def _follow(self, kind: ObjectId, namespace: str) -> None:
        stop = Event()

        def restarted(reason: str, _message: str) -> None:
            if reason == "Forbidden":
                self._is_polled = True
                stop.set()
            self._changed.set()

        watched = WatchedKind(
            kind, namespace, _RESYNC, lambda _all: None, lambda _one: None, self._changed.set, restarted
        )
        follow(watched, lambda: self._api, self._api.clock, stop)
