"""Findings in groups for reports, and their text: findings of several objects with the same rule, message and line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Fix
from kubectl_trainjob.model.finding import Finding, Note, Position
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.message import Message, joined, plural, say
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Severity

_NAMED = 2  # objects of a kind that a finding names
_MOST_NOTES = 20  # of one finding
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


class GroupedFinding(NamedTuple):
    """Findings with the same statement; `first` has what they share."""

    first: Finding
    all: tuple[Finding, ...]

    @property
    def severity(self) -> Severity:
        """The severity of the rule."""
        return self.first.severity

    @property
    def related(self) -> tuple[Note, ...]:
        """The related places, each once."""
        return tuple(dict.fromkeys(note for result in self.all for note in result.related))

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes that change something, each once."""
        return tuple(dict.fromkeys(result.fix for result in self.all if result.fix and result.fix.edits))

    @property
    def objects(self) -> Message:
        """`TrainJob a, b and 37 more` where the finding is about several objects, else empty."""
        distinct = list(dict.fromkeys((result.namespace, result.object) for result in self.all if result.object))
        if len(distinct) < 2:
            return Message()
        has_many = len({namespace for namespace, _ in distinct}) > 1
        parts = ((namespace, *each.partition("/")) for namespace, each in distinct)
        kinds = group((kind, f"{space}/{name}" if has_many and space else name) for space, kind, _, name in parts)
        return joined((say("{} {}", kind, _shorten(names)) for kind, names in kinds.items()), "; ")


def group_findings(results: Iterable[Finding]) -> list[GroupedFinding]:
    """The findings by severity, otherwise in the order of the results."""
    same = group((result.statement, result) for result in results)
    groups = (GroupedFinding(each[0], tuple(each)) for each in same.values())
    return sorted(groups, key=lambda each: _RANK[each.severity])


def _shorten(names: Sequence[str]) -> Message:
    shown = [say("{}", name) for name in names[: _NAMED + 1]]
    if len(names) > _NAMED + 1:  # the last name is as short as "1 more"
        shown[_NAMED:] = [say("{} more", len(names) - _NAMED)]
    return joined(shown, last=" and ")


def counted(severities: Iterable[Severity], adjective: str = "") -> Message:
    """`3 errors, 1 warning`, or `3 new errors, ...` with "new "; empty for none."""
    totals = Counter(severities)
    return joined(plural(totals[each], f"{adjective}{each}") for each in Severity if totals[each])


Paint = Callable[[str, str], str]
"""Colours a text that is safe for a terminal: its style, and the text."""


def finding_lines(finding: GroupedFinding, paint: Paint) -> Iterator[str]:
    """The finding, its source line, the objects that it is about where there are several, the related places.

    No data is printed as a control or invisible character.
    """
    first = finding.first
    here, rule = _where(first.position, paint), first.rule
    about = printable(f"{rule.id} {rule.name}: {first.message}")
    yield f"{here} {paint(first.severity, first.severity)} {about}"
    if first.excerpt and first.excerpt.line:
        carets = printable(first.excerpt.carets)
        marks = carets.lstrip()
        yield f"  {printable(first.excerpt.line)}"
        yield f"  {carets[: len(carets) - len(marks)]}{paint('caret', marks)}"
    notes = [f"{here} {note_line(say('in {}', finding.objects), paint)}"] if finding.objects else []
    notes += (f"{_where(each.position, paint)} {note_line(each.message, paint)}" for each in finding.related)
    unique = list(dict.fromkeys(notes))
    yield from unique[:_MOST_NOTES]
    if len(unique) > _MOST_NOTES:
        yield f"{here} {note_line(f'{len(unique) - _MOST_NOTES} more notes of this kind', paint)}"


def note_line(message: str, paint: Paint) -> str:
    """`note: ...`."""
    return f"{paint('note', 'note')}: {printable(message)}"


def _where(at: Position, paint: Paint) -> str:
    return paint("bold", f"{printable(at.path)}:{at.span.line}:{at.span.column}:")
