"""One problem in a user's files, as a value."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.rules import Rule, Severity
from kubectl_trainjob.model.source import Place, Pointer


class RelatedPlace(NamedTuple):
    """Another place that is part of the problem, and its role: "first one", "the claim template"."""

    message: Message
    place: Place


class Subject(NamedTuple):
    """The value of a generated object that a finding is about; `object` is `KIND/NAME`."""

    object: str
    namespace: str
    pointer: Pointer


class Edit(NamedTuple):
    """One change of a file: `value` is the new JSON at `place`; None removes the entry."""

    place: Place
    value: str | None = None


class Fix(NamedTuple):
    """The edits that fix a finding; `title` is an imperative. A safe fix keeps the meaning that every user intends."""

    title: Message
    edits: tuple[Edit, ...]
    is_safe: bool = True


def set_value(place: Place, value: object) -> Edit:
    """An edit that sets plain data."""
    return Edit(place, json.dumps(value))


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`message` starts in lower case, quotes the value and ends with what to do; `place` is the line to edit.

    `subject` is set if the finding is about a generated object, and not about the one at `place`. `lowered` is a lower
    severity than the rule's.
    """

    rule: Rule
    message: Message
    place: Place
    related: tuple[RelatedPlace, ...] = ()
    subject: Subject | None = None
    fix: Fix | None = None
    lowered: Severity | None = None

    @property
    def severity(self) -> Severity:
        """The severity of this finding."""
        return self.lowered or self.rule.severity


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops a build."""
    return any(d.severity is Severity.ERROR for d in diagnostics)
