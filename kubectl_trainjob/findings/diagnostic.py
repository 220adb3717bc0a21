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


_LONGEST = 1000  # characters of a message
_AT_ITS_END = 250


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`message` starts in lower case, quotes the value and ends with what to do; `place` is the line to edit.

    Of a message that a value makes very long the middle is left out.
    """

    rule: Rule
    message: str
    place: Place
    related: tuple[Related, ...] = ()

    def __post_init__(self) -> None:
        if len(self.message) > _LONGEST:
            short = f"{self.message[: _LONGEST - _AT_ITS_END]}…{self.message[-_AT_ITS_END:]}"
            object.__setattr__(self, "message", short)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops a build."""
    return any(d.rule.severity is Severity.ERROR for d in diagnostics)
