"""A difference as reports show it: paths as they write them, values with Secrets masked, lines of files.

Nothing here is safe for a terminal, Markdown or HTML yet: names, paths and values are as the files have them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.explain.masking import masked
from kubectl_trainjob.explain.path import Memo, show
from kubectl_trainjob.kube.updates.verdict import Refusal
from kubectl_trainjob.model.source import ABSENT, Place, Pointer, json_pointer
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.review.diff.changes import Cause, Change, Difference, FieldChange


class SourceLine(NamedTuple):
    """A line of a file that a person wrote; `file` as shown."""

    file: str
    line: int


class Sources(NamedTuple):
    """The lines that the old and the new value come from; None where unknown or not requested."""

    old: SourceLine | None = None
    new: SourceLine | None = None


Why = Callable[[Change, FieldChange], Sources]
Find = Callable[[Place], SourceLine]


def no_sources(_change: Change, _field: FieldChange) -> Sources:
    """No lines: nothing requested them."""
    return Sources()


class Row(NamedTuple):
    """One value that differs: the old and the new one are plain data, or ABSENT; `refused` is what a cluster says."""

    path: str
    pointer: str
    old: Any
    new: Any
    sources: Sources
    refused: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ObjectView:
    """One object that differs, and its values; `refused` is what a cluster refuses of none of them."""

    change: Change
    rows: tuple[Row, ...]
    refused: tuple[Refusal, ...] = ()


class CauseView(NamedTuple):
    """A document of the inputs that differs, where it stands, and what it changes."""

    cause: Cause
    at: SourceLine


class FileError(NamedTuple):
    """An error of the files, on the old side, on the new one, or on both: why something cannot be built or read."""

    side: Literal["old", "new", "both"]
    rule: str
    name: str
    message: str
    at: SourceLine


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A difference, and how the two sides are called: a revision, a directory, a version of Trainer. With `problems` it
    does not tell everything.
    """

    old: str
    new: str
    objects: tuple[ObjectView, ...]
    causes: tuple[CauseView, ...]
    difference: Difference
    problems: tuple[FileError, ...] = ()


def view_difference(old: str, new: str, difference: Difference, find: Find, why: Why = no_sources) -> Report:
    """The difference with its lines; `find` leads a place to its line.

    `why` is asked job by job: who finds lines need not remember more than one.
    """
    numbered = sorted(enumerate(difference.changes), key=lambda each: _job_key(each[1]))
    found = {number: _object_view(change, why) for number, change in numbered}
    objects = tuple(found[number] for number in range(len(found)))
    causes = tuple(CauseView(cause, find(cause.place)) for cause in difference.summary.causes)
    return Report(old, new, objects, causes, difference)


def _job_key(change: Change) -> tuple[str, ObjectId]:
    return change.overlay, change.job or change.identity


def _object_view(change: Change, why: Why) -> ObjectView:
    rows = tuple(_rows(change, why))
    marked = {refusal for row in rows for refusal in row.refused}
    refused = change.verdict.refused if change.verdict else ()
    return ObjectView(change, rows, tuple(refusal for refusal in refused if refusal not in marked))


def _rows(change: Change, why: Why) -> Iterator[Row]:
    hides = change.is_secret
    memos: tuple[Memo, Memo] = ({}, {})
    for field in change.fields:
        pointer = field.pointer
        is_gone = field.new is ABSENT
        body = change.old if is_gone else change.new
        assert body is not None
        yield Row(
            show(body, pointer, memos[is_gone]),
            json_pointer(pointer),
            _value(field.old, field.old_pointer or pointer, hides),
            _value(field.new, field.new_pointer or pointer, hides),
            why(change, field),
            tuple(_refused(change, field)),
        )


def _refused(change: Change, field: FieldChange) -> Iterator[Refusal]:
    """What is refused because of the value: of it, of what holds it, or of something in it."""
    for refusal in change.verdict.refused if change.verdict else ():
        pointer = field.old_pointer if refusal.is_gone else field.new_pointer
        if pointer is not None and all(map(operator.eq, pointer, refusal.pointer)):
            yield refusal


def _value(value: Any, pointer: Pointer, hides: bool) -> Any:
    return masked(value, pointer) if hides and value is not ABSENT else value
