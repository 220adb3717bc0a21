"""Follows the objects of a kind: a list, then a watch from its version; after anything unusual, a list again.

Watches only say when to look. If an event is missing, the next list has the object, at the latest after `resync`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, NamedTuple

from kubectl_trainjob.cluster.api import Api, missing_kind
from kubectl_trainjob.cluster.errors import error_of
from kubectl_trainjob.cluster.protocol import ApiRequest, Clock
from kubectl_trainjob.model.stages import Body, ObjectId

_LONGEST = 290.0  # seconds of one watch
_SHORTEST = 0.5  # seconds of a watch without any event
_QUIET = 150.0  # seconds without a line: the server sends a bookmark every minute
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_EXPIRED = 410


class WatchedKind(NamedTuple):
    """The kind, its namespace ("" for all), the seconds between two lists, and who gets what is found.

    `listed` gets all objects, `changed` one that was added or changed, `deleted` one as it was last. `restarted` gets
    why a watch begins again, and the message of an error, "" for none.
    """

    kind: ObjectId
    namespace: str
    resync: float
    listed: Callable[[Sequence[Body]], object]
    changed: Callable[[Body], None]
    moved: Callable[[], None]
    restarted: Callable[[str, str], None]
    deleted: Callable[[Body], None] = lambda _: None


def follow(watched: WatchedKind, api: Callable[[], Api], clock: Clock, stop: Event) -> None:
    """List and watch until `stop` is set; errors are tried again, with random pauses."""
    pause = _FIRST_PAUSE
    while not stop.is_set():
        message = ""
        try:
            current = api()
            version = _list(watched, current)
            watched.moved()
            start = clock.monotonic()
            reason = _watch_all(watched, current, version, stop)
            if not reason or clock.monotonic() - start > _LONGEST_PAUSE:
                pause = _FIRST_PAUSE
        except Exception as error:  # one odd answer must not end the watch
            reason, message = getattr(error, "reason", "Unavailable"), str(error)
        if reason:
            watched.restarted(reason, message)
            stop.wait(pause * clock.jitter())
            pause = min(pause * 2, _LONGEST_PAUSE)


def _list(watched: WatchedKind, api: Api) -> str:
    """Hand on all objects: the version of the list. A kind that does not exist is looked up once, not waited for."""
    if not api.has_kind(watched.kind.api_version, watched.kind.kind):
        raise missing_kind(watched.kind)
    items, version = api.listed(api.resource(watched.kind).path(watched.namespace), {})
    watched.listed(items)
    return version


def _watch_all(watched: WatchedKind, api: Api, version: str, stop: Event) -> str:
    """Watch until the next list is due: why it began before that, "" for no reason."""
    end = api.clock.monotonic() + watched.resync
    while not stop.is_set() and (left := end - api.clock.monotonic()) > 0:
        lines = _WatchEvents(watched, version)
        seconds = max(1, int(min(left, _LONGEST)))
        query = {"watch": "true", "resourceVersion": lines.version, "allowWatchBookmarks": "true"}
        request = ApiRequest(
            "GET", api.resource(watched.kind).path(watched.namespace), {**query, "timeoutSeconds": str(seconds)}
        )
        start = api.clock.monotonic()
        answer = api.connection.lines(request, _QUIET, lines.read)
        if not answer.is_success:
            return "Gone" if answer.status == _EXPIRED else error_of(answer, None).reason
        if lines.problem:
            return lines.problem
        if api.clock.monotonic() - start < _SHORTEST and lines.version == version:
            return "Short"  # something between us and the server ends watches at once
        version = lines.version
    return ""


class _WatchEvents:
    """The lines of one watch: `problem` says why another list is needed."""

    def __init__(self, watched: WatchedKind, version: str) -> None:
        self._watched, self.version, self.problem = watched, version, ""

    def read(self, line: bytes) -> bool:
        """Hand on one event; False ends the watch."""
        try:
            event: Any = json.loads(line)
            kind, body = event["type"], event["object"]
            version = body["metadata"]["resourceVersion"] if kind != "ERROR" else ""
        except (ValueError, KeyError, TypeError):
            self.problem = "Unreadable"
            return False
        if kind == "ERROR":
            self.problem = "Gone" if body.get("code") == _EXPIRED else "Error"
            return False
        self.version = version
        self._watched.moved()
        if kind in ("ADDED", "MODIFIED"):
            self._watched.changed(body)
        elif kind == "DELETED":
            self._watched.deleted(body)
        return True
