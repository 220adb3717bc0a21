"""A finding as lines of text: `path:line:column: error KTJnnn name: message`, the source line, a caret, notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kubectl_trainjob.model.finding import Position
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Rule, Severity
from kubectl_trainjob.report import commands
from kubectl_trainjob.report.sentence import in_short

MOST_SHOWN = 1000  # findings
_MOST_NOTES = 20  # of one finding
_LONGEST = 2000  # characters of a message

_COLOURS = {"bold": "1", "error": "1;31", "warning": "1;35", "info": "1;36", "note": "1;36", "caret": "1;32"}


class FindingLines:
    """Writes the lines for a terminal, with colour or without; no data becomes a control or invisible character."""

    def __init__(self, has_colour: bool) -> None:
        self._has_colour = has_colour

    def title(self, at: Position, rule: Rule, message: str) -> str:
        """The first line of a finding."""
        severity = self._paint(rule.severity, rule.severity)
        return f"{self._where(at)} {severity} {printable(f'{rule.id} {rule.name}: {in_short(message, _LONGEST)}')}"

    def excerpt(self, line: str, carets: str) -> Iterator[str]:
        """The source line and the carets under it; nothing where the line is empty."""
        if line:
            marks = carets.lstrip()
            yield f"  {line}"
            yield f"  {carets[: len(carets) - len(marks)]}{self._paint('caret', marks)}"

    def note(self, at: Position | None, message: str) -> str:
        """What is said besides, about a place or in general."""
        word = f"{self._paint('note', 'note')}: {printable(in_short(message, _LONGEST))}"
        return f"{self._where(at)} {word}" if at else word

    def notes(self, at: Position, notes: Iterable[str]) -> Sequence[str]:
        """The notes of one finding, each once, and how many more there are."""
        unique = list(dict.fromkeys(notes))
        more = len(unique) - _MOST_NOTES
        return [*unique[:_MOST_NOTES], self.note(at, f"{more} more notes of this kind")] if more > 0 else unique

    def _where(self, at: Position) -> str:
        return self._paint("bold", f"{printable(at.path)}:{at.span.line}:{at.span.column}:")

    def _paint(self, colour: str, text: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._has_colour else text


def as_lines(lines: Iterable[str]) -> str:
    """The text that the lines make; none of them is a command to a CI system whose log it stands in."""
    return "".join(f"{commands.at_start(commands.inside(line))}\n" for line in lines)


def counted(severities: Iterable[Severity], adjective: str = "") -> str:
    """`3 errors, 1 warning`, or `3 new errors, ...` with "new "; "" for none."""
    totals = Counter(severities)
    told = ((totals[each], f"{adjective}{each}") for each in Severity if totals[each])
    return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in told)
