"""What a schema finds wrong with a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Pointer


class Repair(NamedTuple):
    """What mends a problem, for a safe `Fix`: JSON of what shall stand at its pointer; with None the entry goes."""

    title: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding inside one object; the caller knows the file. `related` holds (message, pointer) pairs."""

    rule: Rule
    pointer: Pointer
    message: str
    on: Literal["key", "value"] = "value"
    related: tuple[tuple[str, Pointer], ...] = ()
    repair: Repair | None = None
