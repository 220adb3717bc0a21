"""Diagnostics as text: `path:line:column: error KTJnnn name: message`, the source line, a caret, related places."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.cli.excerpt import Excerpts
from kubectl_trainjob.findings.diagnostic import Diagnostic, Related
from kubectl_trainjob.findings.rule import Severity
from kubectl_trainjob.positions import Settle, Spot, rendered_with
from kubectl_trainjob.printable import printable

MOST_SHOWN = 1000
_MOST_NOTES = 20  # of one finding

_COLOURS = {"bold": "1", "error": "1;31", "warning": "1;35", "info": "1;36", "note": "1;36", "caret": "1;32"}


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
    return "".join(f"{line}\n" for line in lines)


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
    totals = Counter(finding.diagnostic.rule.severity for finding in found)
    parts = [f"{totals[s]} {s}{'' if totals[s] == 1 else 's'}" for s in Severity if totals[s]]
    hidden = len(found) - MOST_SHOWN
    return ", ".join(parts) + (f" ({hidden} more not shown)" if hidden > 0 else "")


class _Writer:
    def __init__(self, settle: Settle, colour: bool) -> None:
        self._settle = settle
        self._colour = colour
        self._excerpts = Excerpts()

    def finding(self, finding: _Finding) -> Iterator[str]:
        diagnostic, spot = finding.diagnostic, finding.spot
        rule = diagnostic.rule
        title = f"{self._paint(rule.severity, rule.severity)} {rule.id} {rule.name}"
        yield f"{self._where(spot)} {title}: {printable(diagnostic.message)}"
        yield from self._excerpt(spot)
        notes = list(dict.fromkeys(self._notes([finding, *finding.others])))
        yield from notes[:_MOST_NOTES]
        if len(notes) > _MOST_NOTES:
            yield self._note(spot, f"{len(notes) - _MOST_NOTES} more notes of this kind")

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
                yield self._note(findings[0].spot, f"rendered as: {line}")
            yield from map(self._related, values)

    def _rendered(self, spot: Spot) -> str:
        """The line as rendered; "" where it is the template's, or empty."""
        shown, template = (each and self._excerpts.show(each.file, each.span) for each in (spot.made, spot))
        line = shown[0].strip() if shown else ""
        return "" if template and template[0].strip() == line else line

    def _related(self, related: Related) -> str:
        return self._note(self._settle(related.place), printable(related.message))

    def _note(self, spot: Spot, message: str) -> str:
        return f"{self._where(spot)} {self._paint('note', 'note')}: {message}"

    def _where(self, spot: Spot) -> str:
        return self._paint("bold", f"{printable(spot.file.path)}:{spot.span.line}:{spot.span.column}:")

    def _excerpt(self, spot: Spot) -> Iterator[str]:
        shown = self._excerpts.show(spot.file, spot.span)
        if shown is not None and shown[0]:
            line, carets = shown
            yield f"  {line}"
            yield f"  {carets[: len(carets) - len(carets.lstrip())]}{self._paint('caret', carets.lstrip())}"

    def _paint(self, colour: str, text: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._colour else text
