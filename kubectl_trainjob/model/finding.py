"""Findings as reports show them: with lines, and with the object that they are about."""

from __future__ import annotations

from dataclasses import dataclass, field

from kubectl_trainjob.model.diagnostic import Fix
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.rules import Rule, Severity
from kubectl_trainjob.model.source import Span


@dataclass(frozen=True, slots=True)
class Position:
    """A piece of a file that a user wrote: `path` as shown to users, "-" for standard input."""

    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The line of a finding, safe for a terminal, and the carets under it."""

    line: str
    carets: str


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that is part of the problem, and its role."""

    message: Message
    position: Position


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. Texts are as in the files; each report makes them safe.

    `object` is `KIND/NAME` ("" if no object could be read), `pointer` a JSON pointer into it: into the generated object
    if the finding is about one, while `position` is the line that a user edits. `excerpt` is None if no line may be
    shown.

    Findings with the same `fingerprint` (hexadecimal) are the same finding, in each tree: it depends on the rule, the
    object and the text of the line, not on its number. Equal findings are one occurrence: their fixes may be for
    several overlays.
    """

    rule: Rule
    severity: Severity
    message: Message
    position: Position
    object: str = ""
    namespace: str = ""
    pointer: str = ""
    related: tuple[Note, ...] = ()
    fix: Fix | None = field(default=None, compare=False)
    excerpt: Excerpt | None = None
    fingerprint: str = ""

    @property
    def statement(self) -> tuple[str, str, Position]:
        """The same for findings of several objects that reports show as one."""
        return self.rule.id, self.message, self.position


@dataclass(frozen=True, slots=True)
class UncheckedRules:
    """Rules that could not be checked, and the cause."""

    cause: Message
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings of a run, by severity, and counts.

    Comments and settings removed the `suppressed` findings, and the baseline the `baselined` ones. The base of --since
    has the `existing` ones.
    """

    results: tuple[Finding, ...] = ()
    unchecked: tuple[UncheckedRules, ...] = ()
    train_jobs: int = 0
    suppressed: int = 0
    baselined: int = 0
    existing: int = 0
