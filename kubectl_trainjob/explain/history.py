"""The provenance of a value: each write, the newest first, down to the lines that users wrote.

A write in an expanded object depends on values of its inputs. These have a separate history: overlays change them,
templates render them, and defaults of the API server complete them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.explain.path import NameCache, show
from kubectl_trainjob.explain.values import mentioned_values
from kubectl_trainjob.model.draft import INPUT, DraftSnapshot
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Origin, Place, Pointer, Source, SourceFile, show_pointer, value_at
from kubectl_trainjob.model.stages import TracedJob
from kubectl_trainjob.repository.positions import Location, Locator
from kubectl_trainjob.repository.yaml.read import Reader

How = Literal["copied", "computed", "fixed", "removed", "written", "mentions", "default", "option", "absent"]
"""Copied or computed from inputs; fixed for all inputs; removed; written in a file; rendered from a line that mentions
values; the default of the API; an option of the command line; does not exist."""

_DEEPEST = 12  # levels of values that depend on values
_MOST_BELOW = 500  # writes of all values that one value depends on


class KnownInput(NamedTuple):
    """An input: its name, its admitted body, and a cache of the paths into it."""

    name: str
    body: Any
    cache: NameCache


class Write(NamedTuple):
    """One write of `value` by `step`; `place` is the line to edit."""

    step: str
    how: How
    value: Any
    place: Location | None = None
    made_of: tuple[TracedInput, ...] = ()


class TracedInput(NamedTuple):
    """A value that another one depends on: its place, its object, and its history.

    `name` is "" for the documents of overlays, whose values only have a `place`. `path` is the pointer as users write
    it.
    """

    name: str
    path: str
    pointer: Pointer
    value: Any
    place: Location
    history: tuple[Write, ...] = ()


def inputs_of(job: TracedJob) -> dict[Source, KnownInput]:
    """The inputs of the objects of a TrainJob: the TrainJob and its runtime."""
    if job.resolved is None:
        return {}
    inputs = (job.resolved.job, job.resolved.runtime)
    return {each.manifest.source: KnownInput(str(each.manifest.id), each.body, {}) for each in inputs}


class HistoryBuilder:
    """Finds the provenance of the values of one object. `known` are the inputs of the object."""

    def __init__(self, known: Mapping[Source, KnownInput], locator: Locator | None = None) -> None:
        self._known = known
        self._locator = locator or Locator()
        self._bodies: dict[SourceFile, dict[Source, Any]] = {}  # documents of overlays and their patches
        self._depth, self._left = 0, _MOST_BELOW
        self._caches: dict[int, NameCache] = {}  # by the id of a drafted body

    def history(self, origin: Origin) -> tuple[Write, ...]:
        """Every write of the value, the newest first.

        The provenance of the values that it depends on has a limit: a value can be copied thousands of times.
        """
        self._depth, self._left = 0, _MOST_BELOW
        return tuple(self._writes(origin))

    def _below(self, writes: Iterator[Write]) -> tuple[Write, ...]:
        """The provenance of a value that another one depends on."""
        found: list[Write] = []
        self._depth += 1
        while self._depth <= _DEEPEST and self._left > 0 and (write := next(writes, None)):
            found.append(write)
            self._left -= 1
        self._depth -= 1
        return tuple(found)

    def _writes(self, newest: Origin) -> Iterator[Write]:
        origin: Origin | None = newest
        while origin is not None:
            if origin.removes and origin.place is not None:
                yield from self._removals(origin.place)
            elif origin.step == INPUT:
                assert origin.place is not None
                yield from self._input_writes(origin.place, origin.value)
            else:
                yield self._write(origin)
            origin = origin.over

    def _removals(self, place: Place) -> Iterator[Write]:
        """The writes of a value that the edits of an input removed; none if it never had one."""
        if place.source.edits is None:
            return
        origin = place.source.edits.origin(place.pointer)
        if origin.step == INPUT and origin.place is not None:
            yield from self._removals(origin.place)
        elif not origin.removes and origin.over is not None:  # its parent was replaced by one without it
            yield from self._writes(origin.over)
        elif origin.over or origin.place:
            yield from self._writes(origin)

    def _write(self, origin: Origin) -> Write:
        made_of = tuple(self._input(cause) for cause in origin.causes)
        where = made_of[0].place if made_of else None
        if origin.removes:
            return Write(origin.step, "removed", None, where, made_of)
        if origin.place is None:
            return Write(origin.step, "computed" if made_of else "fixed", origin.value, where, made_of)
        copied = self._input(origin.place)
        if copied.value is None and origin.value is not None and copied.name:
            return Write("form", "fixed", origin.value)  # the value that Go writes for a field without a value
        return Write(origin.step, "copied", origin.value, self._locator.resolve(origin.place), (copied, *made_of))

    def _input(self, place: Place) -> TracedInput:
        source, pointer, resolved = place.source, place.pointer, self._locator.resolve(place)
        if isinstance(source.edits, DraftSnapshot):
            body, writes = source.edits.value, self._writes(source.edits.origin(pointer))
            name, cache = f"the {body.get('kind') or 'JobSet'}", self._caches.setdefault(id(body), {})
        elif source in self._known:
            name, body, cache = self._known[source]
            writes = self._input_writes(place, value_at(body, pointer))
        else:
            value = source.edits.origin(pointer).value if source.edits else self._text_value(place)
            return TracedInput("", show_pointer(pointer), pointer, value, resolved)
        path = show(body, pointer, cache)
        return TracedInput(name, path, pointer, value_at(body, pointer), resolved, self._below(writes))

    def _input_writes(self, place: Place, value: Any) -> Iterator[Write]:
        """The provenance of a value of an input: the writes of overlays, then the file."""
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
        resolved = self._locator.resolve(place)
        if not self._locator.has(place):
            step, how = _unwritten(place.pointer, value)
            return Write(step, how, value, None if how == "option" else resolved)
        written = place.source.file.written
        if written is None or written.values is None:
            return Write("file", "written", value, resolved)
        mentioned = tuple(self._input(Place(written.values, pointer)) for pointer in mentioned_values(resolved))
        return Write("template", "mentions" if mentioned else "written", value, resolved, mentioned)

    def _text_value(self, place: Place) -> Any:
        """The value at a place in an unedited document, None if there is none."""
        file, source = place.source.file, place.source
        if file not in self._bodies:
            found, _ = Reader(LIMITS).read_values(file)
            self._bodies[file] = {each: body for body, each in found}
        return value_at(self._bodies[file].get(source), place.pointer)


def _unwritten(pointer: Pointer, value: Any) -> tuple[str, How]:
    """The origin of a value without a file: `-n` sets a namespace, and defaults of the API set the rest."""
    if value is None:
        return "file", "absent"
    return ("namespace", "option") if pointer == ("metadata", "namespace") else ("api", "default")
