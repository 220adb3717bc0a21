"""Findings grouped for reports: what several objects have in common, at one line, is one finding."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Fix
from kubectl_trainjob.model.finding import Finding, Note, Position
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.sentence import plural

_NAMED = 2  # objects of a kind that a finding names
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


class GroupedFinding(NamedTuple):
    """Results that say the same of the same place; `first` has what they share."""

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
    def objects(self) -> str:
        """`TrainJob a, b and 37 more` where the finding is about several objects, else ""."""
        distinct = list(dict.fromkeys((result.namespace, result.object) for result in self.all if result.object))
        if len(distinct) < 2:
            return ""
        has_many = len({namespace for namespace, _ in distinct}) > 1
        kinds: dict[str, list[str]] = defaultdict(list)
        for namespace, each in distinct:
            kind, _, name = each.partition("/")
            kinds[kind].append(f"{namespace}/{name}" if has_many and namespace else name)
        return "; ".join(f"{kind} {_shortened(names)}" for kind, names in kinds.items())


def group_findings(results: Iterable[Finding]) -> list[GroupedFinding]:
    """The findings by severity, otherwise in the order of the results."""
    alike: dict[tuple[str, str, Position], list[Finding]] = defaultdict(list)
    for result in results:
        alike[result.rule.id, result.message, result.position].append(result)
    return sorted(
        (GroupedFinding(each[0], tuple(each)) for each in alike.values()), key=lambda each: _RANK[each.severity]
    )


def _shortened(names: Sequence[str]) -> str:
    if len(names) <= _NAMED + 1:  # as long as "1 more" would be, the last name can stand there
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"


def counted(severities: Iterable[Severity], adjective: str = "") -> str:
    """`3 errors, 1 warning`, or `3 new errors, ...` with "new "; "" for none."""
    totals = Counter(severities)
    return ", ".join(plural(totals[each], f"{adjective}{each}") for each in Severity if totals[each])
