"""What `lint` of trainjob.yaml says of rules: which are told, and how bad they are."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from kubectl_trainjob.lint.registry import is_build_error
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.finding import Finding
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import INVALID_SETTING, RULES, Severity, rule_named
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.units import LintSettings, Settings
from kubectl_trainjob.repository.files.ignore import Ignore


@dataclass(frozen=True, slots=True, eq=False)
class _PathRules:
    matches: Ignore
    ignore: frozenset[str]
    severity: dict[str, Severity]


class Selection:
    """The settings of one repository; `directory` is its root as shown."""

    def __init__(self, settings: LintSettings, directory: str) -> None:
        self._directory = directory
        self._select = _ids(settings.select)
        self._ignore = _ids(settings.ignore)
        self._severity = _severities(settings.severity)
        self._paths = [
            _PathRules(Ignore([each.pattern]), _ids(each.ignore), _severities(each.severity))
            for each in settings.per_path
        ]

    def covers(self, path: str) -> bool:
        """Whether a file belongs to the repository."""
        return self._inside(path) is not None

    def told(self, result: Finding) -> Finding | None:
        """The result as the team wants to hear it; None where it does not. What a build refuses is always told."""
        rule = result.rule
        if is_build_error(rule):
            return result
        severity, is_ignored = self._severity.get(rule.id), rule.id in self._ignore
        inside = self._inside(result.position.path) or ""
        for each in self._paths:
            if each.matches(inside) or any(map(each.matches, _parents(inside))):
                is_ignored = is_ignored or rule.id in each.ignore
                severity = each.severity.get(rule.id, severity)
        if is_ignored or (self._select and rule.id not in self._select):
            return None
        return replace(result, severity=severity) if severity else result

    def _inside(self, path: str) -> str | None:
        relative = posixpath.relpath(path, self._directory or ".")
        return None if relative.startswith("../") else relative


def _parents(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


def _ids(names: Iterable[str]) -> frozenset[str]:
    return frozenset(rule.id for name in names if (rule := rule_named(name)))


def _severities(pairs: Iterable[tuple[str, str]]) -> dict[str, Severity]:
    return {rule.id: Severity(level) for name, level in pairs if (rule := rule_named(name))}


def setting_problems(settings: Settings) -> Iterator[Diagnostic]:
    """What is wrong with the names of rules in a configuration."""
    stated, lint = settings.lint, Place(settings.source, ("lint",))
    for field, names in (("select", stated.select), ("ignore", stated.ignore)):
        for index, name in enumerate(names):
            yield from _name_problems(name, lint.child(field, index), is_lowered=field == "ignore")
    for name, _ in stated.severity:
        yield from _name_problems(name, lint.child("severity", name).key(), is_lowered=True)
    for each in stated.per_path:
        below = lint.child("perPath", each.pattern)
        for index, name in enumerate(each.ignore):
            yield from _name_problems(name, below.child("ignore", index), is_lowered=True)
        for name, _ in each.severity:
            yield from _name_problems(name, below.child("severity", name).key(), is_lowered=True)


def _name_problems(name: str, place: Place, *, is_lowered: bool) -> Iterator[Diagnostic]:
    rule = rule_named(name)
    if rule is None:
        yield Diagnostic(INVALID_SETTING, f'there is no rule "{name}"{hint(name)}', place)
    elif is_lowered and is_build_error(rule):
        message = f"{rule.id} {rule.name} is what a build refuses: it cannot be ignored or made less bad; remove it"
        yield Diagnostic(INVALID_SETTING, message, place)


@cache
def hint(name: str) -> str:
    """Which rule may have been meant."""
    is_id = re.fullmatch(r"(?i:ktj)\d+", name) is not None  # all ids are near to each other
    meant = None if is_id else nearest(name, [text for rule in RULES.values() for text in (rule.id, rule.name)])
    return f'; did you mean "{meant}"?' if meant else "; `kubectl trainjob lint rules` lists all"
