"""Both sides of a comparison compiled and compared, unit by unit, and put together as one report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import BuildOptions, ObjectId
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.trees import Both, Progress, Sides
from kubectl_trainjob.review.comparison import Comparison, Inputs, built, compare
from kubectl_trainjob.review.diff.by_side import BySide, by_side
from kubectl_trainjob.review.diff.changes import ABSENT, Change, Difference, FieldChange
from kubectl_trainjob.review.diff.contents import Contents
from kubectl_trainjob.review.diff.merged import merged
from kubectl_trainjob.review.diff.moved_units import Built, moved
from kubectl_trainjob.review.diff.template_lines import edited_places
from kubectl_trainjob.review.diff.view import FileError, Report, SourceLine, Sources, no_sources, view_difference

_SIDES: tuple[Literal["old", "both", "new"], ...] = ("old", "both", "new")


class Wanted(NamedTuple):
    """What each side is compiled for."""

    old: BuildOptions
    new: BuildOptions


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


def compared(read: Iterable[Both], wanted: Wanted, progress: Progress) -> Compared:
    """Compare both sides, as `Sides.read` reads them."""
    units: dict[str, Comparison] = {}
    left_out: tuple[str, ...] = ()
    alone: list[Both] = []
    for both in read:
        left_out += both.left_out
        if both.overlay and bool(both.old.read_from) != bool(both.new.read_from):
            alone.append(both)
        else:
            units[both.overlay] = _compare(both, wanted, progress)
    former = _former(alone, wanted) if alone else {}
    for both in _joined(alone, former):
        units[both.overlay] = _compare(both, wanted, progress)
    difference = merged([units[overlay].difference for overlay in sorted(units)])
    difference = replace(difference, moved=tuple((old, new) for new, old in former.items()))
    locator = Locator()
    old, new = (_errors(units.values(), side) for side in (0, 1))
    errors = by_side(old, new, locator.settle)
    return Compared(units, difference, errors, left_out, locator)


def _compare(both: Both, wanted: Wanted, progress: Progress) -> Comparison:
    return compare(Inputs(both.old, wanted.old), Inputs(both.new, wanted.new), both.overlay, progress)


def _former(alone: Iterable[Both], wanted: Wanted) -> dict[str, str]:
    """The former directories of overlays that only one side has because they stand somewhere else on the other."""
    gone, new = dict[str, Built](), dict[str, Built]()
    for both in alone:
        if both.old.read_from:
            gone[both.overlay] = built(Inputs(both.old, wanted.old))
        else:
            new[both.overlay] = built(Inputs(both.new, wanted.new))
    return moved(gone, new)


def _joined(alone: Iterable[Both], former: Mapping[str, str]) -> Iterator[Both]:
    """The overlays with what they were on the other side, where that has them under another name."""
    known = {both.overlay: both for both in alone}
    for overlay, both in known.items():
        if overlay in former:
            yield both._replace(old=known[former[overlay]].old)
        elif overlay not in former.values():
            yield both


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
