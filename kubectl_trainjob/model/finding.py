"""Findings as they are told: with lines, with the object that they are about, and what a report compares them by.

Every report, for people or programs, is made of `Finding`s only.
"""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_trainjob.model.diagnostic import Fix
from kubectl_trainjob.model.rules import Rule, Severity
from kubectl_trainjob.model.source import Span


@dataclass(frozen=True, slots=True)
class Position:
    """A piece of a file that a person wrote: `path` as shown to people, "-" for standard input."""

    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The line of a finding as a terminal may show it, and the carets under it."""

    line: str
    carets: str


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that takes part."""

    message: str
    position: Position


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. All texts are as they stand in the files: whoever writes them makes them safe.

    `object` is `KIND/NAME` ("" where no object could be read), `namespace` what it states, `pointer` a JSON pointer
    into it: into the JobSet where the finding is about what is made, while `position` is the line that a person edits.
    `fingerprint` is the same as long as rule, object and line say the same, wherever the line stands; hexadecimal.
    `excerpt` is None where no line may be shown.
    """

    rule: Rule
    severity: Severity
    message: str
    position: Position
    object: str = ""
    namespace: str = ""
    pointer: str = ""
    related: tuple[Note, ...] = ()
    fix: Fix | None = None
    excerpt: Excerpt | None = None
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Unverifiable:
    """What could not be judged: the cause, once, and the rules that it concerns."""

    cause: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LintReport:
    """All that a run has to tell, worst first.

    `train_jobs` and `files` say how much was looked at, `suppressed` how many findings comments and settings took away,
    `baselined` how many the baseline did, `before` how many stood there before, with --since.
    """

    results: tuple[Finding, ...] = ()
    unverifiable: tuple[Unverifiable, ...] = ()
    train_jobs: int = 0
    suppressed: int = 0
    baselined: int = 0
    before: int = 0
