"""Objects that change in the same way, as one: a new image of a runtime is one change, not forty.

The same is true for the same object of several overlays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.source import ABSENT
from kubectl_trainjob.review.diff.changes import Change, is_rejected
from kubectl_trainjob.review.diff.view import ObjectView, Report, Row, SourceLine, Sources

_SHORTEST = 3  # characters of a name that is looked for in values


@dataclass(frozen=True, slots=True, eq=False)
class GroupedObjects:
    """Objects of one kind with the same verdict and the same changed values.

    `rows` are the first member's values, with their lines where those are the same for all. With `has_names`, the
    values of other members differ only in the name of their TrainJob. `carried` counts the values that differ only
    because they contain the name of a renamed object; they are not among the rows.
    """

    members: tuple[ObjectView, ...]
    rows: tuple[Row, ...]
    has_names: bool = False
    carried: int = 0

    @property
    def change(self) -> Change:
        """The change of the first member; all members have the same."""
        return self.members[0].change

    @property
    def changes(self) -> list[Change]:
        """The changes of all members."""
        return [view.change for view in self.members]


def group_objects(report: Report) -> list[GroupedObjects]:
    """The objects in the report's order, grouped where they have the same changes. Rejected updates come first."""
    shown = (
        (view, tuple(row for row in view.rows if not _only_carries_the_name(row, view.change)))
        for view in report.objects
    )
    found = map(_group, group((_key(view, rows), (view, rows)) for view, rows in shown).values())
    return sorted(found, key=lambda each: not is_rejected(each.change))


def _key(view: ObjectView, rows: tuple[Row, ...]) -> object:
    change = view.change
    nameless = _nameless(change)
    return (
        change.identity.api_version,
        change.identity.kind,
        change.change,
        change.update_result,
        change.consequence,
        change.counterpart is None,
        len(view.rows) - len(rows),
        tuple((row.path, row.pointer, nameless(_comparable(row.old)), nameless(_comparable(row.new))) for row in rows),
    )


_HASHED = re.compile(r"-[0-9a-f]{10}(?![0-9a-f])")


def _comparable(value: Any) -> str:
    if isinstance(value, str):
        return f"text {value}"
    return "" if value is ABSENT else json.dumps(value, sort_keys=True)


def _nameless(change: Change) -> Callable[[str], str]:
    """A function that removes the TrainJob's name from a text, if it is a word there."""
    name = (change.job or change.identity).name
    if len(name) < _SHORTEST:
        return str
    word = re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])")
    return lambda text: word.sub("\0", text) if name in text else text


def _group(members: list[tuple[ObjectView, tuple[Row, ...]]]) -> GroupedObjects:
    first, rows = members[0]
    values = {tuple((_comparable(row.old), _comparable(row.new)) for row in others) for _, others in members}
    shared = tuple(
        row._replace(sources=_common([others[number].sources for _, others in members]))
        for number, row in enumerate(rows)
    )
    return GroupedObjects(tuple(view for view, _ in members), shared, len(values) > 1, len(first.rows) - len(rows))


def _common(sources: list[Sources]) -> Sources:
    return sources[0] if all(each == sources[0] for each in sources) else Sources()


def places(view: ObjectView, group: GroupedObjects) -> list[SourceLine]:
    """The lines of a member's values that the group's rows do not have, each once."""
    known = {row.pointer for row in group.rows if row.sources != Sources()}
    pointers = {row.pointer for row in group.rows} - known
    lines = (row.sources.new or row.sources.old for row in view.rows if row.pointer in pointers)
    return list(dict.fromkeys(line for line in lines if line))


def _only_carries_the_name(row: Row, change: Change) -> bool:
    """Whether the value is the same but for the names of the renamed object and of its TrainJob.

    Only a hash in the names certainly does not come from a user: of other names the object's name is omitted.
    """
    if change.counterpart is None or row.old is ABSENT or row.new is ABSENT:
        return False
    if row.pointer == "/metadata/name":
        return True
    if not all(_HASHED.search(each.name) for each in (change.identity, change.counterpart)):
        return False
    old, new = _comparable(row.old), _comparable(row.new)
    return any(old.replace(was, now) == new for was, now in _renames(change, change.counterpart.name))


def _renames(change: Change, was: str) -> Iterable[tuple[str, str]]:
    """The old and new names of the object and of its TrainJob, whose name begins a ConfigMap's name."""
    now = change.identity.name
    if change.change == "removed":
        return ()
    job = change.job.name if change.job else now
    end = now.removeprefix(job)
    jobs = ((was.removesuffix(end), job),) if end != now and end and was.endswith(end) else ()
    return [(was, now), *jobs] if was else jobs
