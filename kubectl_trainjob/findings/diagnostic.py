"""One finding in a user's files, as a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kubectl_trainjob.findings.rule import Rule, Severity
from kubectl_trainjob.source import Place


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that takes part: "first defined here", "the runtime stands here"."""

    message: str
    place: Place


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`message` starts in lower case, quotes the value and ends with what to do; `place` is the line to edit."""

    rule: Rule
    message: str
    place: Place
    related: tuple[Related, ...] = ()


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops a build."""
    return any(d.rule.severity is Severity.ERROR for d in diagnostics)
