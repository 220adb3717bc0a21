"""Findings as people are told them: what several objects have in common, at one line, is one finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Fix
from kubectl_trainjob.model.finding import Note, Position, Result
from kubectl_trainjob.model.rules import Severity

_RANK = {severity: rank for rank, severity in enumerate(Severity)}


class Merged(NamedTuple):
    """Results that say the same of the same place; the first one speaks for all."""

    first: Result
    all: tuple[Result, ...]

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.first.rule.severity

    @property
    def related(self) -> tuple[Note, ...]:
        """The other places that take part, each once."""
        return tuple(dict.fromkeys(note for result in self.all for note in result.related))

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes that change something, each once."""
        return tuple(dict.fromkeys(result.fix for result in self.all if result.fix and result.fix.edits))


def merged(results: Iterable[Result]) -> list[Merged]:
    """The findings worst first, otherwise in the order of the results."""
    alike: dict[tuple[str, str, Position], list[Result]] = defaultdict(list)
    for result in results:
        alike[result.rule.id, result.message, result.position].append(result)
    return sorted((Merged(each[0], tuple(each)) for each in alike.values()), key=lambda each: _RANK[each.severity])


def named(finding: Merged, most: int = 2) -> str:
    """`TrainJob a, b and 37 more` where the finding is about several objects, else ""."""
    about = [(result.namespace, result.object) for result in finding.all if result.object]
    distinct = list(dict.fromkeys(about))
    if len(distinct) < 2:
        return ""
    has_many = len({namespace for namespace, _ in distinct}) > 1
    kinds: dict[str, list[str]] = defaultdict(list)
    for namespace, each in distinct:
        kind, _, name = each.partition("/")
        kinds[kind].append(f"{namespace}/{name}" if has_many and namespace else name)
    return "; ".join(f"{kind} {_first(names, most)}" for kind, names in kinds.items())


def _first(names: Sequence[str], most: int) -> str:
    if len(names) <= most + 1:  # as long as "1 more" would be, the last name can stand there
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"{', '.join(names[:most])} and {len(names) - most} more"
