"""What a check finds: a message, and where in the things that it looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kubectl_trainjob.model.diagnostic import Fix
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
class Hit:
    """One occurrence of a rule. `message` starts in lower case, quotes values and ends with what to do.

    The message does not name the TrainJob: an error in a runtime is reported once for all jobs that share it. `fix` may
    be a function of the place that is reported. `severity` is set if it is lower than the rule's.
    """

    message: str
    at: At
    related: tuple[tuple[str, At], ...] = ()
    fix: Fix | Callable[[Place], Fix] | None = None
    severity: Severity | None = None
