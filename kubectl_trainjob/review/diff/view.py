"""A difference as reports show it: paths in notation, values with Secrets masked, lines of files.

Nothing here is safe for a terminal, Markdown or HTML yet: names, paths and values are as in the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.explain.path import NameCache, show
from kubectl_trainjob.kube.facts.masking import mask, value_without_secrets
from kubectl_trainjob.kube.updates.result import RejectedChange
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.source import ABSENT, Place, Pointer, json_pointer
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.review.diff.changes import Cause, Change, Difference, FieldChange


class SourceLine(NamedTuple):
    """A line of a file of the user; `file` as shown."""

    file: str
    line: int


class Sources(NamedTuple):
    """The lines that the old and the new value come from; None where unknown or not requested."""

    old: SourceLine | None = None
    new: SourceLine | None = None


Why = Callable[[Change, FieldChange], Sources]
Find = Callable[[Place], SourceLine]


class Row(NamedTuple):
    """One value that differs: old and new are plain data, or ABSENT; `rejections` are those because of it."""

    path: str
    pointer: str
    old: Any
    new: Any
    sources: Sources
    rejections: tuple[RejectedChange, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ObjectView:
    """One object that differs, and its values; `rejections` are those because of other values."""

    change: Change
    rows: tuple[Row, ...]
    rejections: tuple[RejectedChange, ...] = ()


class CauseView(NamedTuple):
    """A changed part of the inputs, its line, and what it changes."""

    cause: Cause
    at: SourceLine


class FileError(NamedTuple):
    """An error in the files of one or base and head: why something cannot be built or read."""

    side: Literal["old", "new", "both"]
    rule: str
    name: str
    message: Message
    at: SourceLine
    fingerprint: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A difference, and the names of the two trees: a revision, a directory, a Trainer version. With `problems` it is
    not complete.
    """

    old: str
    new: str
    objects: tuple[ObjectView, ...]
    causes: tuple[CauseView, ...]
    difference: Difference
    problems: tuple[FileError, ...] = ()

    @property
    def distinct_problems(self) -> tuple[FileError, ...]:
        """The problems, each once, although several overlays have it."""
        return tuple({each._replace(fingerprint=""): each for each in self.problems}.values())


def view_difference(old: str, new: str, difference: Difference, find: Find, why: Why | None = None) -> Report:
    """The difference with its lines; `find` returns the line of a place.

    `why` adds the sources of values. It is called job by job: it needs to remember only one.
    """
    numbered = ((each.overlay, each.job or each.identity, number) for number, each in enumerate(difference.changes))
    found = {number: _object_view(difference.changes[number], why) for _, _, number in sorted(numbered)}
    objects = tuple(found[number] for number in range(len(found)))
    causes = tuple(CauseView(cause, find(cause.place)) for cause in difference.summary.causes)
    return Report(old, new, objects, causes, difference)


def _object_view(change: Change, why: Why | None) -> ObjectView:
    rows = tuple(_rows(change, why))
    marked = {rejection for row in rows for rejection in row.rejections}
    rejections = change.update_result.rejections if change.update_result else ()
    return ObjectView(change, rows, tuple(rejection for rejection in rejections if rejection not in marked))


def _rows(change: Change, why: Why | None) -> Iterator[Row]:
    caches: tuple[NameCache, NameCache] = ({}, {})
    rejections = _Rejections(change.update_result.rejections if change.update_result else ())
    for field in change.fields:
        pointer = field.pointer
        is_gone = field.new is ABSENT
        body = change.old if is_gone else change.new
        assert body is not None
        yield Row(
            show(body, pointer, caches[is_gone]),
            json_pointer(pointer),
            _value(field.old, change, change.old, field.old_pointer or pointer),
            _value(field.new, change, change.new, field.new_pointer or pointer),
            why(change, field) if why else Sources(),
            rejections.of(field),
        )


class _Rejections:
    """The rejections of an update by their places, because there may be one for each value."""

    def __init__(self, rejections: tuple[RejectedChange, ...]) -> None:
        self._all = rejections
        numbered = [*enumerate(rejections)]
        self._at = group(((each.is_gone, each.pointer), index) for index, each in numbered)
        self._below = group(
            ((each.is_gone, each.pointer[:length]), index)
            for index, each in numbered
            for length in range(len(each.pointer))
        )

    def of(self, field: FieldChange) -> tuple[RejectedChange, ...]:
        """The rejections because of a value: of it, of a parent, or of a value in it."""
        found: list[int] = []
        for is_gone, pointer in ((True, field.old_pointer), (False, field.new_pointer)):
            if pointer is not None:
                found += self._below.get((is_gone, pointer), ())
                for length in range(len(pointer) + 1):
                    found += self._at.get((is_gone, pointer[:length]), ())
        return tuple(self._all[index] for index in sorted(found))


def _value(value: Any, change: Change, body: Body | None, pointer: Pointer) -> Any:
    if value is ABSENT:
        return value
    return mask(value, pointer) if change.is_secret else value_without_secrets(value, body, pointer)
