"""Origins to the history of a value: each write, the newest first, down to the lines that people wrote.

A write in an expanded object is made of values of its inputs. These have a history of their own: overlays change them,
templates make them, the API server's defaults fill them in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.explain.path import Memo, show
from kubectl_trainjob.explain.values import mentioned_values
from kubectl_trainjob.model.draft import INPUT, Drafted
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Origin, Place, Pointer, Source, SourceFile, show_pointer, value_at
from kubectl_trainjob.model.stages import TracedJob
from kubectl_trainjob.repository.positions import Locator, Spot
from kubectl_trainjob.repository.yaml.read import Reader

How = Literal["copied", "computed", "fixed", "removed", "written", "mentions", "default", "option", "absent"]
"""Copied or computed from inputs; fixed, whatever the inputs say; taken away; written in a file by a person; rendered
from a line that mentions values; the API's default; an option of the command line; not there at all."""


_DEEPEST = 12  # values that are made of values
_MOST_BELOW = 500  # writes that are told of what one value was made of


class Known(NamedTuple):
    """An input: what it is called, its body as admitted, and what is known of the paths into it."""

    name: str
    body: Any
    memo: Memo


class Write(NamedTuple):
    """One write of `value` by `step`; `place` is the line to edit."""

    step: str
    how: How
    value: Any
    place: Spot | None = None
    made_of: tuple[TracedInput, ...] = ()


class TracedInput(NamedTuple):
    """A value that another one was made of: where it stands, in which object, and its own history.

    `name` is "" for the documents of overlays, whose values stand at their `place` and nowhere else. `path` is the
    pointer as people write it.
    """

    name: str
    path: str
    pointer: Pointer
    value: Any
    place: Spot
    history: tuple[Write, ...] = ()


def inputs_of(job: TracedJob) -> dict[Source, Known]:
    """What the objects of a TrainJob are made of: itself and its runtime."""
    if job.resolved is None:
        return {}
    inputs = (job.resolved.job, job.resolved.runtime)
    return {each.manifest.source: Known(str(each.manifest.id), each.body, {}) for each in inputs}


class Historian:
    """Tells the histories of one object's values. `known` are the inputs that it was made of."""

    def __init__(self, known: Mapping[Source, Known], locator: Locator | None = None) -> None:
        self._known = known
        self._locator = locator or Locator()
        self._texts = _Texts()
        self._depth, self._left = 0, _MOST_BELOW
        self._memos: dict[int, Memo] = {}  # of what was drafted

    def history(self, origin: Origin) -> tuple[Write, ...]:
        """Every write of the value, the newest first.

        Of what it was made of, and that again, the histories are told up to a bound: a value can be copied to and fro a
        thousand times.
        """
        self._depth, self._left = 0, _MOST_BELOW
        return tuple(self._writes(origin))

    def _below(self, writes: Iterator[Write]) -> tuple[Write, ...]:
        """The history of a value that another one was made of."""
        told: list[Write] = []
        self._depth += 1
        while self._depth <= _DEEPEST and self._left > 0 and (write := next(writes, None)):
            told.append(write)
            self._left -= 1
        self._depth -= 1
        return tuple(told)

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
        """The writes of a value that an input had before its edits took it away; none where it never had one."""
        if place.source.edits is None:
            return
        origin = place.source.edits.origin(place.pointer)
        if origin.step == INPUT and origin.place is not None:
            yield from self._removals(origin.place)
        elif not origin.removes and origin.over is not None:  # what holds it was written anew, without it
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
            return Write("form", "fixed", origin.value)  # what Go writes for a field that nobody set
        return Write(origin.step, "copied", origin.value, self._locator.settle(origin.place), (copied, *made_of))

    def _input(self, place: Place) -> TracedInput:
        source, pointer, settled = place.source, place.pointer, self._locator.settle(place)
        if isinstance(source.edits, Drafted):
            body, origin = source.edits.value, source.edits.origin(pointer)
            name, history = f"the {body.get('kind') or 'JobSet'}", self._below(self._writes(origin))
            return TracedInput(
                name,
                show(body, pointer, self._memos.setdefault(id(body), {})),
                pointer,
                value_at(body, pointer),
                settled,
                history,
            )
        known = self._known.get(source)
        if known is None:
            value = source.edits.origin(pointer).value if source.edits else self._texts.value(place)
            return TracedInput("", show_pointer(pointer), pointer, value, settled)
        value = value_at(known.body, pointer)
        return TracedInput(
            known.name,
            show(known.body, pointer, known.memo),
            pointer,
            value,
            settled,
            self._below(self._input_writes(place, value)),
        )

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
            step, how = _unwritten(place.pointer, value)
            return Write(step, how, value, None if how == "option" else settled)
        written = place.source.file.written
        if written is None or written.values is None:
            return Write("file", "written", value, settled)
        mentioned = tuple(self._input(Place(written.values, pointer)) for pointer in mentioned_values(settled))
        return Write("template", "mentions" if mentioned else "written", value, settled, mentioned)


class _Texts:
    """Values as they stand in documents that nobody else keeps: overlays and their patches."""

    def __init__(self) -> None:
        self._bodies: dict[SourceFile, dict[Source, Any]] = {}

    def value(self, place: Place) -> Any:
        """The value at a place in a document that nobody edited, None where there is none."""
        file, source = place.source.file, place.source
        if file not in self._bodies:
            found, _ = Reader(LIMITS).read_values(file)
            self._bodies[file] = {each: body for body, each in found}
        return value_at(self._bodies[file].get(source), place.pointer)


def _unwritten(pointer: Pointer, value: Any) -> tuple[str, How]:
    """Who wrote what no file has: only `-n` gives an object a namespace, the API's defaults the rest."""
    if value is None:
        return "file", "absent"
    return ("namespace", "option") if pointer == ("metadata", "namespace") else ("api", "default")
