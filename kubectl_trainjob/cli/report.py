"""Diagnostics as text: `path:line:column: error KTJnnn name: message`, the source line, a caret, related places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.cli.excerpt import Excerpts
from kubectl_trainjob.cli.printable import printable
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.rule import Severity
from kubectl_trainjob.source import Place, SourceFile, Span

MOST_SHOWN = 1000

_COLOURS = {"bold": "1", "error": "1;31", "warning": "1;35", "info": "1;36", "note": "1;36", "caret": "1;32"}


class _Located(NamedTuple):
    file: SourceFile
    span: Span
    diagnostic: Diagnostic


def report(diagnostics: Iterable[Diagnostic], settle: Callable[[Place], Place], *, colour: bool = False) -> str:
    """The whole report, sorted by place and rule, each finding once; "" when there is none.

    `settle` finds the span of a place in a file that a person wrote.

    At most `MOST_SHOWN` findings are shown; the closing line counts all of them and says how many were left out.
    """
    found = _in_order(diagnostics, settle)
    writer = _Writer(settle, colour)
    lines = [line for located in found[:MOST_SHOWN] for line in writer.finding(located)]
    if len(found) > 1:
        lines.append(_count(found))
    return "".join(f"{line}\n" for line in lines)


def _in_order(diagnostics: Iterable[Diagnostic], settle: Callable[[Place], Place]) -> list[_Located]:
    located = [_Located(*_shown(settle(d.place)), d) for d in diagnostics]
    unique = {(f.file.path, f.span.line, f.span.column, f.diagnostic.rule.id, f.diagnostic.message): f for f in located}
    return [unique[key] for key in sorted(unique)]


def _shown(place: Place) -> tuple[SourceFile, Span]:
    assert place.span is not None
    return place.source.file, place.span


def _count(found: list[_Located]) -> str:
    totals = Counter(located.diagnostic.rule.severity for located in found)
    parts = [f"{totals[s]} {s}{'' if totals[s] == 1 else 's'}" for s in Severity if totals[s]]
    hidden = len(found) - MOST_SHOWN
    return ", ".join(parts) + (f" ({hidden} more not shown)" if hidden > 0 else "")


class _Writer:
    def __init__(self, settle: Callable[[Place], Place], colour: bool) -> None:
        self._settle = settle
        self._colour = colour
        self._excerpts = Excerpts()

    def finding(self, located: _Located) -> Iterator[str]:
        diagnostic = located.diagnostic
        rule, file = diagnostic.rule, located.file
        title = f"{self._paint(rule.severity, rule.severity)} {rule.id} {rule.name}"
        yield f"{self._where(file, located.span)} {title}: {printable(diagnostic.message)}"
        yield from self._excerpt(file, located.span)
        for related in diagnostic.related:
            place = self._where(*_shown(self._settle(related.place)))
            yield f"{place} {self._paint('note', 'note')}: {printable(related.message)}"

    def _where(self, file: SourceFile, span: Span) -> str:
        return self._paint("bold", f"{printable(file.path)}:{span.line}:{span.column}:")

    def _excerpt(self, file: SourceFile, span: Span) -> Iterator[str]:
        shown = self._excerpts.show(file, span)
        if shown is not None and shown[0]:
            line, carets = shown
            yield f"  {line}"
            yield f"  {carets[: len(carets) - len(carets.lstrip())]}{self._paint('caret', carets.lstrip())}"

    def _paint(self, colour: str, text: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._colour else text
