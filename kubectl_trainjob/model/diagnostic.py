"""One finding in a user's files, as a value."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from kubectl_trainjob.model.rules import Rule, Severity
from kubectl_trainjob.model.source import Place, Pointer


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that takes part: "first defined here", "the runtime stands here"."""

    message: str
    place: Place


@dataclass(frozen=True, slots=True)
class Subject:
    """The value of an object that the controllers make, where a finding is about one: `object` is `KIND/NAME`."""

    object: str
    namespace: str
    pointer: Pointer


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a file: `value` is JSON of what shall stand at `place`; with None the entry goes."""

    place: Place
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """What mends a finding: `title` says so in the imperative; a safe one does nothing that anybody could not want."""

    title: str
    edits: tuple[Edit, ...]
    is_safe: bool = True


def set_value(place: Place, value: object) -> Edit:
    """An edit that sets plain data."""
    return Edit(place, json.dumps(value))


_LONGEST = 1000  # characters of a message
_AT_ITS_END = 250


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`message` starts in lower case, quotes the value and ends with what to do; `place` is the line to edit.

    Of a message that a value makes very long the middle is left out. `subject` is set where the finding is about an
    object that is made, and not about the one that stands at `place`.
    """

    rule: Rule
    message: str
    place: Place
    related: tuple[Related, ...] = ()
    subject: Subject | None = None
    fix: Fix | None = None
    lowered: Severity | None = None

    @property
    def severity(self) -> Severity:
        """The rule's severity, or the lower one of this finding."""
        return self.lowered or self.rule.severity

    def __post_init__(self) -> None:
        if len(self.message) > _LONGEST:
            short = f"{self.message[: _LONGEST - _AT_ITS_END]}…{self.message[-_AT_ITS_END:]}"
            object.__setattr__(self, "message", short)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops a build."""
    return any(d.severity is Severity.ERROR for d in diagnostics)
