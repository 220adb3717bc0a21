"""Watches of the sources of Flux that TrainingSets name: a new revision makes these TrainingSets due at once.

A kind is watched from the first TrainingSet on that names it: in all namespaces, or in that of the source. Without its
definition, or without the right, only the interval counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock, Thread

from kubectl_trainjob.cluster.controller.artifact import FLUX_KINDS, published
from kubectl_trainjob.cluster.controller.training_set import SetKey, SourceRef, TrainingSet
from kubectl_trainjob.model.stages import Body

Follow = Callable[[str, str, Callable[[Body], None]], None]
"""Watches a kind in a namespace until the end; the function gets each object that is listed or changed."""


class SourceWatches:
    """`due` gets the TrainingSets whose source has another revision than the one that was tried."""

    def __init__(self, follow: Follow, due: Callable[[SetKey], None], *, is_everywhere: bool) -> None:
        self._follow, self._due, self._is_everywhere = follow, due, is_everywhere
        self._sources: dict[SetKey, SourceRef] = {}
        self._readers: dict[SourceRef, dict[SetKey, str]] = {}
        """The revision that each TrainingSet tried last."""
        self._places: set[tuple[str, str]] = set()
        self._lock = Lock()

    def note(self, wanted: TrainingSet) -> None:
        """Remember the source of a TrainingSet."""
        kind = wanted.source.kind
        place = kind, "" if self._is_everywhere else wanted.source.namespace
        with self._lock:
            self._remove(wanted.key)
            self._sources[wanted.key] = wanted.source
            attempted = wanted.status.get("lastAttemptedRevision", "")
            self._readers.setdefault(wanted.source, {})[wanted.key] = attempted
            is_new = kind in FLUX_KINDS and place not in self._places
            self._places.add(place)
        if is_new:
            changed = partial(self._changed, kind)
            Thread(target=self._follow, args=(*place, changed), daemon=True, name=f"watch {kind}").start()

    def forget(self, key: SetKey) -> None:
        """A TrainingSet no longer exists."""
        with self._lock:
            self._remove(key)

    def _remove(self, key: SetKey) -> None:
        source = self._sources.pop(key, None)
        if source and len(readers := self._readers[source]) > 1:
            del readers[key]
        elif source:
            del self._readers[source]

    def _changed(self, kind: str, body: Body) -> None:
        artifact = published(body)
        source = SourceRef(kind, body["metadata"]["name"], body["metadata"]["namespace"])
        with self._lock:
            readers = dict(self._readers.get(source, {}))
        for key, attempted in readers.items():
            if artifact and artifact.revision != attempted:
                self._due(key)
