"""Watches of the sources of Flux that TrainingSets name: a new revision makes these TrainingSets due at once.

A kind is watched from the first TrainingSet on that names it: in all namespaces, or in that of the source. Without its
definition, or without the right, only the interval counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock, Thread
from typing import NamedTuple

from kubectl_trainjob.cluster.controller.artifact import FLUX_KINDS, published
from kubectl_trainjob.cluster.controller.training_set import SetKey, SourceRef, TrainingSet
from kubectl_trainjob.model.stages import Body

Follow = Callable[[str, str, Callable[[Body], None]], None]
"""Watches a kind in a namespace until the end; the function gets each object that is listed or changed."""


class _Follower(NamedTuple):
    """The source of a TrainingSet, and the revision that was tried last."""

    source: SourceRef
    attempted: str


class SourceWatches:
    """`due` gets the TrainingSets whose source has another revision than the one that was tried."""

    def __init__(self, follow: Follow, due: Callable[[SetKey], None], *, is_everywhere: bool) -> None:
        self._follow, self._due, self._is_everywhere = follow, due, is_everywhere
        self._readers: dict[SetKey, _Follower] = {}
        self._places: set[tuple[str, str]] = set()
        self._lock = Lock()

    def note(self, wanted: TrainingSet) -> None:
        """Remember the source of a TrainingSet."""
        kind = wanted.source.kind
        place = kind, "" if self._is_everywhere else wanted.source.namespace
        with self._lock:
            self._readers[wanted.key] = _Follower(wanted.source, wanted.status.get("lastAttemptedRevision", ""))
            is_new = kind in FLUX_KINDS and place not in self._places
            self._places.add(place)
        if is_new:
            changed = partial(self._changed, kind)
            Thread(target=self._follow, args=(*place, changed), daemon=True, name=f"watch {kind}").start()

    def forget(self, key: SetKey) -> None:
        """A TrainingSet no longer exists."""
        with self._lock:
            self._readers.pop(key, None)

    def _changed(self, kind: str, body: Body) -> None:
        artifact = published(body)
        source = SourceRef(kind, body["metadata"]["name"], body["metadata"]["namespace"])
        with self._lock:
            readers = [(key, each.attempted) for key, each in self._readers.items() if each.source == source]
        for key, attempted in readers:
            if artifact and artifact.revision != attempted:
                self._due(key)
