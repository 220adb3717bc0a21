"""What a check finds: a message, and where in the things that it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Place, Pointer


class Made(NamedTuple):
    """A value of an object that the controllers make of a TrainJob; `nth` counts these objects, 0 is the JobSet.

    A person is shown the line that the value at `shown` comes from, by default that of `pointer` itself.
    """

    nth: int
    pointer: Pointer
    on: Literal["key", "value"] = "value"
    shown: Pointer = ()


At = Place | Made


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of a fix: `value` is plain data that shall stand at the place of `at`; None removes the entry."""

    at: At
    value: object = None


@dataclass(frozen=True, slots=True)
class Remedy:
    """A fix, before it is known where its places are; `title` is an imperative in lower case."""

    title: str
    changes: tuple[Change, ...]
    is_safe: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """One occurrence of a rule. `message` starts in lower case, quotes values and ends with what to do.

    It does not name the TrainJob: a runtime's mistake is told once for all jobs that share it. `severity` is set where
    this occurrence is less bad than others.
    """

    message: str
    at: At
    related: tuple[tuple[str, At], ...] = ()
    remedy: Remedy | None = None
    severity: Severity | None = None
