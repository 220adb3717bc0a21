"""Diagnostics as text: `path:line:column: error KTJnnn name: message`, the source line, a caret, related places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.finding import Excerpt, Finding, Note, Position
from kubectl_trainjob.report.blocks import Document, FindingDetails, Statements
from kubectl_trainjob.report.grouped import GroupedFinding, counted
from kubectl_trainjob.report.text import render
from kubectl_trainjob.repository.excerpt import Excerpts
from kubectl_trainjob.repository.positions import Settle, Spot, rendered_with

MOST_SHOWN = 1000  # findings


class _Located(NamedTuple):
    """A diagnostic and its location."""

    spot: Spot
    diagnostic: Diagnostic


def report(diagnostics: Iterable[Diagnostic], settle: Settle, *, colour: bool = False) -> str:
    """The whole report, sorted by place and rule, each finding once; "" when there is none.

    What is in a rendered text is reported at the template's line, with the line as rendered where that differs, and
    with the values. At most `MOST_SHOWN` findings are shown; the closing line counts all of them.
    """
    found = _in_order(diagnostics, settle)
    writer = _Findings(settle)
    details = FindingDetails("", [writer.finding(each) for each in found[:MOST_SHOWN]], len(found) - MOST_SHOWN)
    totals = counted(same[0].diagnostic.severity for same in found)
    return render(Document(None, [details, *([Statements([(totals,)])] if len(found) > 1 else [])]), has_colour=colour)


def _in_order(diagnostics: Iterable[Diagnostic], settle: Settle) -> list[list[_Located]]:
    """The findings; several diagnostics are one where they say the same of the same line, as of two renderings."""
    unique: dict[tuple[str, int, int, str, str], list[_Located]] = defaultdict(list)
    for diagnostic in diagnostics:
        spot = settle(diagnostic.place)
        key = (spot.file.path, spot.span.line, spot.span.column, diagnostic.rule.id, diagnostic.message)
        unique[key].append(_Located(spot, diagnostic))
    return [unique[key] for key in sorted(unique)]


def _position(spot: Spot) -> Position:
    return Position(spot.file.path, spot.span)


class _Findings:
    def __init__(self, settle: Settle) -> None:
        self._settle = settle
        self._excerpts = Excerpts()

    def finding(self, same: Sequence[_Located]) -> GroupedFinding:
        """The finding that several diagnostics are."""
        spot, diagnostic = same[0]
        shown = self._excerpts.show(spot.file, spot.span)
        excerpt = Excerpt(*shown) if shown else None
        notes = tuple(self._notes(same))
        result = Finding(
            diagnostic.rule,
            diagnostic.severity,
            diagnostic.message,
            _position(spot),
            related=notes,
            excerpt=excerpt,
        )
        return GroupedFinding(result, (result,))

    def _notes(self, same: Sequence[_Located]) -> Iterator[Note]:
        """The related places; below each line as rendered, the overlays that gave the values."""
        by_line: dict[str, list[Related]] = defaultdict(list)
        for spot, diagnostic in same:
            yield from map(self._related, diagnostic.related)
            written = spot.made.file.written if spot.made else None
            if written is not None and written.values is not None:
                by_line[self._rendered(spot)].append(rendered_with(written.values))
        for line, values in by_line.items():
            if line:
                yield Note(f"rendered as: {line}", _position(same[0].spot))
            yield from map(self._related, values)

    def _rendered(self, spot: Spot) -> str:
        """The line as rendered; "" where it is the template's, or empty."""
        shown, template = (each and self._excerpts.show(each.file, each.span) for each in (spot.made, spot))
        line = shown[0].strip() if shown else ""
        return "" if template and template[0].strip() == line else line

    def _related(self, related: Related) -> Note:
        return Note(related.message, _position(self._settle(related.place)))
