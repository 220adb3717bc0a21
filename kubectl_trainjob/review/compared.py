"""Both sides of a comparison compiled and compared, unit by unit, and put together as one report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.source import ABSENT, Place, Pointer
from kubectl_trainjob.model.stages import BuildOptions, ObjectId
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.trees import Both, Sides
from kubectl_trainjob.review.comparison import Comparison, Examination, Input, compare, contents, input_of
from kubectl_trainjob.review.diff.by_side import BySide, by_side
from kubectl_trainjob.review.diff.changes import Change, Difference, FieldChange
from kubectl_trainjob.review.diff.contents import Contents
from kubectl_trainjob.review.diff.merged import merged
from kubectl_trainjob.review.diff.moved_units import UnitContents, moved
from kubectl_trainjob.review.diff.template_lines import edited_places
from kubectl_trainjob.review.diff.view import FileError, Report, SourceLine, Sources, no_sources, view_difference

_SIDES: tuple[Literal["old", "both", "new"], ...] = ("old", "both", "new")


class Wanted(NamedTuple):
    """What each side is compiled for, and what is examined besides the difference."""

    old: BuildOptions
    new: BuildOptions
    examination: Examination = Examination()


class _Unit(NamedTuple):
    """A build unit of both sides: its overlay's directory, "" for the plain manifests."""

    overlay: str
    old: Input
    new: Input


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What was compared, each unit by its overlay, and all that differs.

    `errors` are why something cannot be built, `left_out` the overlays that were not compared. The locator has found
    the lines of the errors already.
    """

    units: dict[str, Comparison]
    difference: Difference
    errors: BySide
    left_out: tuple[str, ...]
    locator: Locator

    @property
    def has_errors(self) -> bool:
        """Whether anything of either side cannot be built."""
        return any(self.errors)


def compared(read: Iterable[Both], wanted: Wanted, context: BuildContext) -> Compared:
    """Compare both sides, as `Sides.read` reads them."""
    found, alone, left_out = list[_Unit](), list[_Unit](), tuple[str, ...]()
    for both in read:
        left_out += both.left_out
        unit = _Unit(both.overlay, input_of(both.old, wanted.old), input_of(both.new, wanted.new))
        is_alone = both.overlay and bool(both.old.read_from) != bool(both.new.read_from)
        (alone if is_alone else found).append(unit)
    former = _former(alone) if alone else {}
    units = {
        unit.overlay: compare(unit.old, unit.new, unit.overlay, wanted.examination, context)
        for unit in (*found, *_joined(alone, former))
    }
    difference = merged([units[overlay].difference for overlay in sorted(units)])
    difference = replace(difference, moved=tuple((old, new) for new, old in former.items()))
    locator = Locator()
    old, new = (_errors(units.values(), side) for side in (0, 1))
    errors = by_side(old, new, locator.settle)
    return Compared(units, difference, errors, left_out, locator)


def _former(alone: Iterable[_Unit]) -> dict[str, str]:
    """The former directories of overlays that were moved to another directory."""
    removed, added = dict[str, UnitContents](), dict[str, UnitContents]()
    for unit in alone:
        if unit.old.documents.read_from:
            removed[unit.overlay] = contents(unit.old.prepared)
        else:
            added[unit.overlay] = contents(unit.new.prepared)
    return moved(removed, added)


def _joined(alone: Iterable[_Unit], former: Mapping[str, str]) -> Iterator[_Unit]:
    """The overlays, those that were moved as one unit with their former directory."""
    known = {unit.overlay: unit for unit in alone}
    for overlay, unit in known.items():
        if overlay in former:
            yield unit._replace(old=known[former[overlay]].old)
        elif overlay not in former.values():
            yield unit


def _errors(units: Iterable[Comparison], side: int) -> Iterator[Diagnostic]:
    return (finding for unit in units for finding in unit.findings[side] if has_errors([finding]))


def report_of(sides: Sides, found: Compared, *, with_lines: bool) -> Report:
    """What was compared, for people; `with_lines` where each value comes from."""
    lines = _Lines(found)
    why = lines.why if with_lines else no_sources
    report = view_difference(sides.old.name, sides.new.name, found.difference, lines.line, why)
    return replace(report, problems=tuple(_problems(found.errors, lines)))


def _problems(errors: BySide, lines: _Lines) -> Iterator[FileError]:
    for side, findings in zip(_SIDES, errors, strict=True):
        for each in findings:
            yield FileError(side, each.rule.id, each.rule.name, each.message, lines.line(each.place))


class _Lines:
    """Finds the lines of a report."""

    def __init__(self, found: Compared) -> None:
        self._units = found.units
        self._locator = found.locator
        self._contents = Contents()

    def line(self, place: Place) -> SourceLine:
        """The line of a place."""
        spot = self._locator.settle(place)
        return SourceLine(spot.file.path, spot.span.line)

    def why(self, change: Change, field: FieldChange) -> Sources:
        """The lines that the old and the new value come from."""
        old = change.counterpart or change.identity
        before = self._written(change.overlay, 0, old, None if field.old is ABSENT else field.old_pointer)
        after = self._written(change.overlay, 1, change.identity, None if field.new is ABSENT else field.new_pointer)
        places = edited_places(before, after, self._locator.settle, self._contents)
        return Sources(*(self.line(place) if place else None for place in places))

    def _written(self, overlay: str, side: int, identity: ObjectId, pointer: Pointer | None) -> Place | None:
        if pointer is None:
            return None
        origin = self._units[overlay].origins[side].origin(identity, pointer)
        return origin.first_place() if origin else None
