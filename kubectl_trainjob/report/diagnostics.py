"""Diagnostics as text: `path:line:column: error KTJnnn name: message`, the source line, a caret, related places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.finding import Position
from kubectl_trainjob.report.finding_lines import MOST_SHOWN, FindingLines, as_lines, counted
from kubectl_trainjob.repository.excerpt import Excerpts
from kubectl_trainjob.repository.positions import Settle, Spot, rendered_with


class _Finding(NamedTuple):
    """A diagnostic and where it stands; `others` say the same there, of other renderings of a template, say."""

    spot: Spot
    diagnostic: Diagnostic
    others: list[_Finding]


def report(diagnostics: Iterable[Diagnostic], settle: Settle, *, colour: bool = False) -> str:
    """The whole report, sorted by place and rule, each finding once; "" when there is none.

    What stands in a rendered text is told at the template's line, with the line as rendered where that differs, and
    with the values. At most `MOST_SHOWN` findings are shown; the closing line counts all of them and says how many were
    left out.
    """
    found = _in_order(diagnostics, settle)
    writer = _Writer(settle, colour)
    lines = [line for finding in found[:MOST_SHOWN] for line in writer.finding(finding)]
    if len(found) > 1:
        lines.append(_count(found))
    return as_lines(lines)


def _in_order(diagnostics: Iterable[Diagnostic], settle: Settle) -> list[_Finding]:
    unique: dict[tuple[str, int, int, str, str], _Finding] = {}
    for diagnostic in diagnostics:
        spot = settle(diagnostic.place)
        key = (spot.file.path, spot.span.line, spot.span.column, diagnostic.rule.id, diagnostic.message)
        finding = _Finding(spot, diagnostic, [])
        if (first := unique.setdefault(key, finding)) is not finding:
            first.others.append(finding)
    return [unique[key] for key in sorted(unique)]


def _count(found: list[_Finding]) -> str:
    hidden = len(found) - MOST_SHOWN
    totals = counted(finding.diagnostic.rule.severity for finding in found)
    return totals + (f" ({hidden} more not shown)" if hidden > 0 else "")


def _position(spot: Spot) -> Position:
    return Position(spot.file.path, spot.span)


class _Writer:
    def __init__(self, settle: Settle, colour: bool) -> None:
        self._settle = settle
        self._lines = FindingLines(colour)
        self._excerpts = Excerpts()

    def finding(self, finding: _Finding) -> Iterator[str]:
        diagnostic, spot = finding.diagnostic, finding.spot
        at = _position(spot)
        yield self._lines.title(at, diagnostic.rule, diagnostic.message)
        yield from self._lines.excerpt(*(self._excerpts.show(spot.file, spot.span) or ("", "")))
        yield from self._lines.notes(at, self._notes([finding, *finding.others]))

    def _notes(self, findings: list[_Finding]) -> Iterator[str]:
        """What else is said of findings that are one; below each line as rendered, who gave the values."""
        by_line: dict[str, list[Related]] = defaultdict(list)
        for spot, diagnostic, _ in findings:
            yield from map(self._related, diagnostic.related)
            written = spot.made.file.written if spot.made else None
            if written is not None and written.values is not None:
                by_line[self._rendered(spot)].append(rendered_with(written.values))
        for line, values in by_line.items():
            if line:
                yield self._lines.note(_position(findings[0].spot), f"rendered as: {line}")
            yield from map(self._related, values)

    def _rendered(self, spot: Spot) -> str:
        """The line as rendered; "" where it is the template's, or empty."""
        shown, template = (each and self._excerpts.show(each.file, each.span) for each in (spot.made, spot))
        line = shown[0].strip() if shown else ""
        return "" if template and template[0].strip() == line else line

    def _related(self, related: Related) -> str:
        return self._lines.note(_position(self._settle(related.place)), related.message)
