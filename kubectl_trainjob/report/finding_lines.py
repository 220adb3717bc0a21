"""A finding as lines of text: `path:line:column: error KTJnnn name: message`, the source line, carets, notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kubectl_trainjob.model.finding import Position
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.report import commands
from kubectl_trainjob.report.grouped import GroupedFinding
from kubectl_trainjob.report.sentence import in_short

_MOST_NOTES = 20  # of one finding
_LONGEST = 2000  # characters of a message

Paint = Callable[[str, str], str]
"""Colours a text that is safe for a terminal: its style, and the text."""


def finding_lines(finding: GroupedFinding, paint: Paint) -> Iterator[str]:
    """The finding, its source line, the objects that it is about where there are several, the related places.

    No data becomes a control or invisible character.
    """
    first = finding.first
    here, rule = _where(first.position, paint), first.rule
    about = printable(f"{rule.id} {rule.name}: {in_short(first.message, _LONGEST)}")
    yield f"{here} {paint(first.severity, first.severity)} {about}"
    if first.excerpt and first.excerpt.line:
        carets = printable(first.excerpt.carets)
        marks = carets.lstrip()
        yield f"  {printable(first.excerpt.line)}"
        yield f"  {carets[: len(carets) - len(marks)]}{paint('caret', marks)}"
    notes = [f"{here} {note_line(f'in {finding.objects}', paint)}"] if finding.objects else []
    notes += (f"{_where(each.position, paint)} {note_line(each.message, paint)}" for each in finding.related)
    unique = list(dict.fromkeys(notes))
    yield from unique[:_MOST_NOTES]
    if len(unique) > _MOST_NOTES:
        yield f"{here} {note_line(f'{len(unique) - _MOST_NOTES} more notes of this kind', paint)}"


def note_line(message: str, paint: Paint) -> str:
    """`note: ...`."""
    return f"{paint('note', 'note')}: {printable(in_short(message, _LONGEST))}"


def _where(at: Position, paint: Paint) -> str:
    return paint("bold", f"{printable(at.path)}:{at.span.line}:{at.span.column}:")


def as_lines(lines: Iterable[str]) -> str:
    """The text that the lines make; none of them is a command to a CI system whose log shows it."""
    return "".join(f"{commands.at_start(commands.inside(line))}\n" for line in lines)
