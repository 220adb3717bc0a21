"""The `lint` settings of trainjob.yaml: which rules are reported, and with which severity."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from kubectl_trainjob.lint.registry import is_build_error
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.finding import Finding
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.nearest import did_you_mean
from kubectl_trainjob.model.rules import INVALID_SETTING, RULES, Severity, rule_named, rules_named
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.units import LintSettings, PathRules, Settings
from kubectl_trainjob.repository.files.find_root import CurrentDirectory
from kubectl_trainjob.repository.files.patterns import Ignore

_BUILD_ERROR = "{} {} is a build error: it cannot be ignored or get a lower severity; remove it"
_WHOLE = len("KTJ1000")
_ALL_RULES = "`kubectl trainjob lint rules` lists all"


class _PathSettings(NamedTuple):
    matches: Ignore
    ignore: frozenset[str]
    severity: dict[str, Severity]


class RuleChoice(NamedTuple):
    """The rules of `--select` and `--ignore`, by id, name or start of an id. As in ruff, a selection overrides the
    settings, and more ignored rules are added to them.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def over(self, settings: LintSettings) -> LintSettings:
        """The settings with this choice."""
        ignored = self.ignore if self.select else (*settings.ignore, *self.ignore)
        return settings._replace(select=self.select or settings.select, ignore=ignored)

    def problem(self) -> Message | None:
        """Why the choice is not valid."""
        unknown = next((name for name in (*self.select, *self.ignore) if not rules_named(name)), None)
        build_error = next((rule for name in self.ignore if (rule := rule_named(name)) and is_build_error(rule)), None)
        if unknown is not None or build_error is None:
            return None if unknown is None else unknown_rule(unknown)
        return say(_BUILD_ERROR, build_error.id, build_error.name)


class Selection:
    """The settings of one repository; `directory` is its root as shown, from `current`."""

    def __init__(self, settings: LintSettings, directory: str, current: CurrentDirectory) -> None:
        self.root = current.absolute(directory)
        self._current = current
        self._select = _specific(settings.select)
        self._ignore = _specific(settings.ignore)
        self._severity = _severities(settings.severity)
        self._in_path: dict[tuple[str, bool], list[_PathSettings]] = {}  # by path, and whether it is a directory
        self._paths = [
            _PathSettings(Ignore([each.pattern]), _ids(each.ignore), _severities(each.severity))
            for each in settings.per_path
        ]

    def covers(self, path: str) -> bool:
        """Whether a file belongs to the repository."""
        return self._inside(path) is not None

    def apply(self, finding: Finding) -> Finding | None:
        """The finding with the severity of the settings; None if they suppress it. Build errors stay as they are."""
        rule = finding.rule
        if is_build_error(rule):
            return finding
        severity, ignored = self._severity.get(rule.id), self._ignore.get(rule.id, 0)
        is_ignored = ignored > 0 and ignored >= self._select.get(rule.id, 0)
        inside = self._inside(finding.position.path) or ""
        for each in self._settings_of(inside):
            is_ignored = is_ignored or rule.id in each.ignore
            severity = each.severity.get(rule.id, severity)
        if is_ignored or (self._select and rule.id not in self._select):
            return None
        return replace(finding, severity=severity) if severity else finding

    def _settings_of(self, file: str) -> list[_PathSettings]:
        """The settings for a file or one of its directories, in the order of the configuration."""
        above = {id(each) for parent in _parents(file) for each in self._matching(parent, True)}
        above.update(map(id, self._matching(file, False)))
        return [each for each in self._paths if id(each) in above]

    def _matching(self, path: str, is_directory: bool) -> list[_PathSettings]:
        if (path, is_directory) not in self._in_path:
            self._in_path[path, is_directory] = [each for each in self._paths if each.matches(path, is_directory)]
        return self._in_path[path, is_directory]

    def _inside(self, path: str) -> str | None:
        relative = posixpath.relpath(self._current.absolute(path), self.root)
        return None if relative.startswith("../") else relative


def _parents(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


def _specific(names: Iterable[str]) -> dict[str, int]:
    """By the ids of rules, how much of an id the longest of the names has that mean the rule: as in ruff, it counts."""
    found: dict[str, int] = {}
    for name in names:
        length = len(name) if name.startswith("KTJ") else 1 if name == "ALL" else _WHOLE
        found |= {rule.id: max(length, found.get(rule.id, 0)) for rule in rules_named(name)}
    return found


def _ids(names: Iterable[str]) -> frozenset[str]:
    return frozenset(rule.id for name in names for rule in rules_named(name))


def _severities(pairs: Iterable[tuple[str, str]]) -> dict[str, Severity]:
    return {rule.id: Severity(level) for name, level in pairs if (rule := rule_named(name))}


def setting_problems(settings: Settings) -> Iterator[Diagnostic]:
    """The errors in the names of rules in a configuration."""
    lint, place = settings.lint, Place(settings.source, ("lint",))
    for index, name in enumerate(lint.select):
        if not rules_named(name):
            yield Diagnostic(INVALID_SETTING, unknown_rule(name), place.child("select", index))
    yield from _problems(lint, place)
    for each in lint.per_path:
        yield from _problems(each, place.child("perPath", each.pattern))


def _problems(settings: LintSettings | PathRules, place: Place) -> Iterator[Diagnostic]:
    """The errors in `ignore` and `severity`."""
    places = [(name, place.child("ignore", index)) for index, name in enumerate(settings.ignore)]
    places += [(name, place.child("severity", name).key()) for name, _ in settings.severity]
    for name, at in places:
        rule = rule_named(name)
        if rule is None and not (at.pointer[-2:-1] == ("ignore",) and rules_named(name)):
            yield Diagnostic(INVALID_SETTING, unknown_rule(name), at)
        elif rule and is_build_error(rule):
            yield Diagnostic(INVALID_SETTING, say(_BUILD_ERROR, rule.id, rule.name), at)


@lru_cache(maxsize=256)
def unknown_rule(name: str) -> Message:
    """The message for an unknown rule, with the rule that it may be a misspelling of."""
    is_id = re.fullmatch(r"(?i:ktj)\d+", name) is not None  # all ids are near to each other
    names = () if is_id else [text for rule in RULES.values() for text in (rule.id, rule.name)]
    return say('rule "{}" does not exist; {}', name, did_you_mean(name, names, say(_ALL_RULES)))
