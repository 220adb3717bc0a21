"""Origins to the history of a value: each write, the newest first, down to the lines that people wrote.

A write in an expanded object is made of values of its inputs. These have a history of their own: overlays change them,
templates make them, the API server's defaults fill them in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.draft import INPUT, Drafted
from kubectl_trainjob.explain.path import show
from kubectl_trainjob.explain.values import mentioned_values
from kubectl_trainjob.source import Origin, Place, Pointer, Source, show_pointer, value_at
from kubectl_trainjob.stages import TracedJob
from kubectl_trainjob.yamlio.spans import Locator

How = Literal["copied", "computed", "fixed", "written", "default", "option", "absent"]
"""Copied or computed from inputs; fixed, whatever the inputs say; written in a file by a person; the API's default;
an option of the command line; not there at all."""


class Known(NamedTuple):
    """An input: what it is called, and its body as admitted."""

    name: str
    body: Any


@dataclass(frozen=True, slots=True)
class Write:
    """One write of `value` by `step`; `place` is the line to edit, as a span of a file that a person wrote."""

    step: str
    how: How
    value: Any
    place: Place | None = None
    made_of: tuple[Input, ...] = ()


@dataclass(frozen=True, slots=True)
class Input:
    """A value that another one was made of: where it stands, in which object, and its own history.

    `name` is "" for the documents of overlays, whose values stand at their `place` and nowhere else. `path` is the
    pointer as people write it.
    """

    name: str
    path: str
    pointer: Pointer
    value: Any
    place: Place
    history: tuple[Write, ...] = ()


def inputs_of(job: TracedJob) -> dict[Source, Known]:
    """What the objects of a TrainJob are made of: itself and its runtime."""
    if job.resolved is None:
        return {}
    inputs = (job.resolved.job, job.resolved.runtime)
    return {each.manifest.source: Known(str(each.manifest.id), each.body) for each in inputs}


class Historian:
    """Tells the histories of one object's values. `known` are the inputs that it was made of."""

    def __init__(self, known: Mapping[Source, Known], locator: Locator | None = None) -> None:
        self._known = known
        self._locator = locator or Locator()

    def history(self, origin: Origin) -> tuple[Write, ...]:
        """Every write of the value, the newest first."""
        return tuple(self._writes(origin))

    def _writes(self, origin: Origin) -> Iterator[Write]:
        if origin.step == INPUT:
            assert origin.place is not None
            yield from self._input_writes(origin.place, origin.value)
        else:
            yield self._write(origin)
        if origin.over is not None:
            yield from self._writes(origin.over)

    def _write(self, origin: Origin) -> Write:
        place = origin.place
        if place is not None:
            inputs = (self._input(place, origin.value),)
            return Write(origin.step, "copied", origin.value, self._locator.settle(place), inputs)
        made_of = tuple(self._input(cause) for cause in origin.causes)
        where = made_of[0].place if made_of else None
        return Write(origin.step, "computed" if made_of else "fixed", origin.value, where, made_of)

    def _input(self, place: Place, value: Any = None) -> Input:
        edits, settled = place.source.edits, self._locator.settle(place)
        if isinstance(edits, Drafted):
            value, origin = value_at(edits.value, place.pointer), edits.origin(place.pointer)
            path = show(edits.value, place.pointer)
            return Input("the JobSet", path, place.pointer, value, settled, self.history(origin))
        known = self._known.get(place.source)
        if known is None:
            return Input("", show_pointer(place.pointer), place.pointer, value, settled)
        value, path = value_at(known.body, place.pointer), show(known.body, place.pointer)
        return Input(known.name, path, place.pointer, value, settled, tuple(self._input_writes(place, value)))

    def _input_writes(self, place: Place, value: Any) -> Iterator[Write]:
        """The history of a value of an input: what overlays wrote, then what was read."""
        edits = place.source.edits
        if edits is not None:
            origin = edits.origin(place.pointer)
            if origin.step != INPUT or origin.place is None or self._has(origin.place):
                yield from self._writes(origin)
                return
            place = origin.place
        yield self._as_read(place, value)

    def _has(self, place: Place) -> bool:
        return place.source.edits is not None or self._locator.has(place)

    def _as_read(self, place: Place, value: Any) -> Write:
        settled = self._locator.settle(place)
        if not self._locator.has(place):
            return Write(*_unwritten(place.pointer, value), value, settled)
        written = place.source.file.written
        if written is None or written.values is None:
            return Write("file", "written", value, settled)
        values = tuple(
            Input("", show_pointer(pointer), pointer, None, self._locator.settle(Place(written.values, pointer)))
            for pointer in mentioned_values(settled)
        )
        return Write("template", "computed" if values else "written", value, settled, values)


def _unwritten(pointer: Pointer, value: Any) -> tuple[str, How]:
    """Who wrote what no file has: only `-n` gives an object a namespace, the API's defaults the rest."""
    if value is None:
        return "file", "absent"
    return ("namespace", "option") if pointer == ("metadata", "namespace") else ("api", "default")
