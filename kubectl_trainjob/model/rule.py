"""A rule: what one kind of mistake is called, how bad it is, and its manual."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """`error` stops a build; `warning` and `info` do not."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class RuleClass(StrEnum):
    """What happens to a person who ignores the rule."""

    REJECTED = "rejected"  # the API server or a webhook refuses the object, or the controller cannot expand it
    LATE = "late"  # accepted, then fails when Jobs or Pods are created
    MISBEHAVES = "misbehaves"  # runs, but hangs or does something else than meant
    POLICY = "policy"  # works, but a team would not want it
    TOOL = "tool"  # a limit or convention of this tool


@dataclass(frozen=True, slots=True)
class Rule:
    """`id` is `KTJnnn` and never reused; `manual` explains the rule and holds one `Bad:` and one `Good:` example.

    With `finds_secrets` the lines of its findings are shown to nobody.
    """

    id: str
    name: str
    manual: str
    severity: Severity = Severity.ERROR
    rule_class: RuleClass = RuleClass.REJECTED
    finds_secrets: bool = False
