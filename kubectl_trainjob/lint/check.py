"""A check of a rule, and its hits: a message, and the location in what was checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Literal, NamedTuple, TypeVar

from kubectl_trainjob.model.diagnostic import Fix
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.rules import Rule, Severity
from kubectl_trainjob.model.source import Place, Pointer

View = TypeVar("View")


class GeneratedValue(NamedTuple):
    """A value of an object that the controllers generate from a TrainJob; `nth` counts these objects, 0 is the JobSet.

    Users see the line that the value comes from.
    """

    nth: int
    pointer: Pointer
    on: Literal["key", "value"] = "value"


At = Place | GeneratedValue


class Hit(NamedTuple):
    """One occurrence of a rule. `message` starts in lower case, quotes values and ends with what to do.

    The message does not name the TrainJob: an error in a runtime is reported once for all jobs that share it. `fix` may
    be a function of the place that is reported. `severity` is set if it is lower than the rule's.
    """

    message: Message
    at: At
    related: tuple[tuple[Message, At], ...] = ()
    fix: Fix | Callable[[Place], Fix] | None = None
    severity: Severity | None = None


class Check(NamedTuple, Generic[View]):
    """A rule, and the function that finds it in a runtime, a TrainJob, a build unit or a built directory."""

    rule: Rule
    find: Callable[[View], Iterator[Hit]]
