"""Base and head compiled and compared, unit by unit, and joined to one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.kube.facts.kinds import is_library_object
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.finding import Finding
from kubectl_trainjob.model.source import ABSENT, Place, Pointer
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Documents, manifests_of
from kubectl_trainjob.repository.findings import FindingBuilder, Objects
from kubectl_trainjob.repository.positions import Locator, ResolvePlace
from kubectl_trainjob.repository.trees import BaseAndHead, TreePair
from kubectl_trainjob.review.compare_unit import CompareOptions, Comparison, Input, compare_unit, input_of
from kubectl_trainjob.review.diff.changes import Change, Difference, FieldChange
from kubectl_trainjob.review.diff.contents import Contents
from kubectl_trainjob.review.diff.moved_units import contents_of, find_moved
from kubectl_trainjob.review.diff.summaries import merge
from kubectl_trainjob.review.diff.templates import edited_places
from kubectl_trainjob.review.diff.view import FileError, Report, SourceLine, Sources, view_difference

_SIDES: tuple[Literal["old", "both", "new"], ...] = ("old", "both", "new")


class ErrorsBySide(NamedTuple):
    """Errors only in the base, in both as the head has them, only in the head."""

    old: tuple[Diagnostic, ...]
    both: tuple[Diagnostic, ...]
    new: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TreeComparison:
    """The compared units by their overlays, and the whole difference.

    `errors` are why something cannot be built, `unread_overlays` the overlays that were not compared. The locator has
    found the lines of the errors already.
    """

    units: dict[str, Comparison]
    difference: Difference
    errors: ErrorsBySide
    unread_overlays: tuple[str, ...]
    locator: Locator

    @property
    def has_errors(self) -> bool:
        """Whether anything of either tree cannot be built."""
        return any(self.errors)


Location = tuple[str, int, Pointer]
"""An object in the files: the path in base and head, the document, and the place in a List."""


class _UnitPair(NamedTuple):
    """Base and head of a build unit: the directory of its overlay, "" for the plain manifests."""

    overlay: str
    old: Input
    new: Input


def compare_trees(read: Iterable[TreePair], options: CompareOptions, context: BuildContext) -> TreeComparison:
    """Compare base and head, as `BaseAndHead.read` reads them."""
    common, single, unread_overlays = list[_UnitPair](), list[_UnitPair](), tuple[str, ...]()
    for both in _each_once(read):
        unread_overlays += both.unread_overlays
        unit = _UnitPair(both.overlay, input_of(both.old, options.old), input_of(both.new, options.new))
        is_single = both.overlay and bool(both.old.read_from) != bool(both.new.read_from)
        (single if is_single else common).append(unit)
    former = _former(single) if single else {}
    units = {
        unit.overlay: compare_unit(unit.old, unit.new, unit.overlay, options, context)
        for unit in (*common, *_join_moved(single, former))
    }
    difference = merge([units[overlay].difference for overlay in sorted(units)])
    difference = replace(difference, moved=tuple((old, new) for new, old in former.items()))
    locator = Locator()
    old, new = ([*_errors(units.values(), side)] for side in (0, 1))
    errors = errors_by_side(old, new, locator.resolve, _objects(units.values()) if old or new else {})
    return TreeComparison(units, difference, errors, unread_overlays, locator)


def _each_once(read: Iterable[TreePair]) -> Iterator[TreePair]:
    """The units, the plain manifests without what overlays of the same tree list: these count there only."""
    units = list(read)
    old, new = _listed_paths([both.old for both in units]), _listed_paths([both.new for both in units])
    for both in units:
        yield both if both.overlay else both._replace(old=_without(both.old, old), new=_without(both.new, new))


def _listed_paths(units: Sequence[Documents]) -> frozenset[Location]:
    """The objects that overlays list; none if there are built files, which the plain manifests may have, too."""
    overlays = [] if any(each.built for each in units) else [unit for each in units for unit in each.units]
    return frozenset(_location(manifest) for unit in overlays for manifest in manifests_of(unit))


def _without(documents: Documents, listed: Container[Location]) -> Documents:
    """The plain manifests without those that are listed; runtimes stay for jobs that refer to them."""
    kept = [each for each in documents.inputs if is_library_object(each) or _location(each) not in listed]
    return replace(documents, inputs=tuple(kept)) if len(kept) < len(documents.inputs) else documents


def _location(manifest: Manifest) -> Location:
    return manifest.source.file.common_path, manifest.source.document, manifest.source.prefix


def _former(single: Sequence[_UnitPair]) -> dict[str, str]:
    """The former directories of overlays that were moved to another directory."""
    removed = [unit for unit in single if unit.old.documents.read_from]
    added = [unit for unit in single if not unit.old.documents.read_from]
    return find_moved(
        {unit.overlay: contents_of(unit.old.prepared) for unit in removed},
        {unit.overlay: contents_of(unit.new.prepared) for unit in added},
    )


def _join_moved(single: Iterable[_UnitPair], former: Mapping[str, str]) -> Iterator[_UnitPair]:
    """The overlays, those that were moved as one unit with their former directory."""
    known, earlier = {unit.overlay: unit for unit in single}, set(former.values())
    for overlay, unit in known.items():
        if overlay in former:
            yield unit._replace(old=known[former[overlay]].old)
        elif overlay not in earlier:
            yield unit


def _errors(units: Iterable[Comparison], side: int) -> Iterator[Diagnostic]:
    return (finding for unit in units for finding in unit.findings[side] if has_errors([finding]))


def _objects(units: Iterable[Comparison]) -> Objects:
    compilations = [compilation for unit in units for compilation in unit.compilations]
    manifests = [manifest for compilation in compilations for manifest in compilation.manifests]
    manifests += [job.source for compilation in compilations for job in compilation.jobs]
    return {each.source: each for each in manifests}


def errors_by_side(
    old: Iterable[Diagnostic], new: Iterable[Diagnostic], resolve: ResolvePlace, objects: Objects
) -> ErrorsBySide:
    """The errors of base and head in the given order, each once, although several overlays have it.

    Errors with the same fingerprint are the same. If there are several, as many are the same as base and head have, the
    first with the first. `objects` are those of base and head.
    """
    builder = FindingBuilder(resolve)
    before, after = (_with_fingerprints(errors, objects, builder) for errors in (old, new))
    removed, _ = _divide(before, Counter(known for known, _ in after))
    added, same = _divide(after, Counter(known for known, _ in before))
    return ErrorsBySide(tuple(removed), tuple(same), tuple(added))


def _with_fingerprints(
    errors: Iterable[Diagnostic], objects: Objects, builder: FindingBuilder
) -> list[tuple[str, Diagnostic]]:
    """The errors of one tree with their fingerprints; equal findings, of several overlays, are one error."""
    found = dict[Finding, Diagnostic]()
    for error in errors:
        finding, _ = builder.finding(error, objects)
        found.setdefault(finding, error)
    return [(finding.fingerprint, error) for finding, error in found.items()]


def _divide(
    errors: Iterable[tuple[str, Diagnostic]], others: Counter[str]
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """The errors that the other tree does not have, and those that it has; `others` is used up."""
    own, shared = list[Diagnostic](), list[Diagnostic]()
    for fingerprint, error in errors:
        is_shared = others[fingerprint] > 0
        others[fingerprint] -= is_shared
        (shared if is_shared else own).append(error)
    return own, shared


def report_of(sides: BaseAndHead, found: TreeComparison, *, with_lines: bool) -> Report:
    """The comparison as reports show it; `with_lines` adds the source of each value."""
    lines = _SourceLines(found)
    why = lines.why if with_lines else None
    report = view_difference(sides.old.name, sides.new.name, found.difference, lines.line, why)
    return replace(report, problems=tuple(_problems(found)))


def _problems(found: TreeComparison) -> Iterator[FileError]:
    builder = FindingBuilder(found.locator.resolve)
    objects = _objects(found.units.values()) if any(found.errors) else {}
    for side, errors in zip(_SIDES, found.errors, strict=True):
        for each in errors:
            finding, _ = builder.finding(each, objects)
            at = SourceLine(finding.position.path, finding.position.span.line)
            yield FileError(side, each.rule.id, each.rule.name, each.message, at, finding.fingerprint)


class _SourceLines:
    """Finds the lines of a report."""

    def __init__(self, found: TreeComparison) -> None:
        self._units = found.units
        self._locator = found.locator
        self._contents = Contents()

    def line(self, place: Place) -> SourceLine:
        """The line of a place."""
        location = self._locator.resolve(place)
        return SourceLine(location.file.path, location.span.line)

    def why(self, change: Change, field: FieldChange) -> Sources:
        """The lines that the old and the new value come from."""
        unit, old = self._units[change.overlay], change.counterpart or change.identity
        before = unit.written(0, old, None if field.old is ABSENT else field.old_pointer, field.old)
        after = unit.written(1, change.identity, None if field.new is ABSENT else field.new_pointer, field.new)
        places = edited_places(before, after, self._locator.resolve, self._contents)
        return Sources(*(self.line(place) if place else None for place in places))
