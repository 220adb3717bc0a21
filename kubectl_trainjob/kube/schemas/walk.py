"""One walk over a value: the state that the schema's nodes share, and what comes out.

Mirrors the order of k8s.io/apiextensions-apiserver/pkg/registry/customresource: unknown fields, nulls, defaults,
validation, list keys, CEL; here node by node in one pass, because none of them looks at a parent's result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import INVALID_TYPE_OR_ENUM, MISSING_FIELD, Rule
from kubectl_trainjob.model.source import Pointer


class Node(Protocol):
    """A schema node: `visit` returns the value with defaults, the same object when nothing changed."""

    def visit(self, value: Any, walk: Walk) -> Any:
        """Judge `value`; problems go to the walk."""


class Memo:
    """Subtrees that were accepted before, by identity, so that JobSets do not pay for what they share with a runtime.

    `known` maps the id of a value to (value, node, completed value) and keeps the value alive. It grows only while
    `learning`: what belongs to one job alone is not worth remembering.
    """

    __slots__ = ("known", "learning")

    def __init__(self) -> None:
        self.known: dict[int, tuple[Any, Node, Any]] = {}
        self.learning = False


class Walk:
    """Where the walk stands and what it found. `nulls` are the explicit nulls, which count as absent.

    `is_readable` is false once a value is not of its type or a name is missing: nobody could walk there again.
    """

    __slots__ = ("is_readable", "memo", "nulls", "problems", "trail")

    def __init__(self, memo: Memo | None = None) -> None:
        self.memo = memo
        self.trail: list[str | int] = []
        self.problems: list[Problem] = []
        self.nulls: list[Pointer] = []
        self.is_readable = True

    def pointer(self, *below: str | int) -> Pointer:
        """The place of the value at hand, or of something below it."""
        return (*self.trail, *below)

    def report(self, rule: Rule, message: str, *below: str | int, on: Literal["key", "value"] = "value") -> None:
        """Something is wrong at the value at hand, or below it."""
        self.problems.append(Problem(rule, self.pointer(*below), message, on))

    def adopt(self, found: Iterable[Problem]) -> None:
        """Problems that point below the value at hand."""
        self.problems.extend(replace(problem, pointer=self.pointer(*problem.pointer)) for problem in found)

    def field(self) -> str:
        """The value at hand as a person would call it: its key, or its list's key and index."""
        steps = self.trail
        if not steps:
            return "the object"
        last = len(steps) - 1
        while last > 0 and isinstance(steps[last], int):
            last -= 1
        return str(steps[last]) + "".join(f"[{step}]" for step in steps[last + 1 :])


@dataclass(frozen=True, slots=True)
class Checked:
    """An object after the walk: `value` carries the defaults and no nulls (the same object when nothing changed).

    `is_readable` says whether every value has its type, whatever else is wrong.
    """

    value: Mapping[str, Any]
    problems: tuple[Problem, ...]
    nulls: tuple[Pointer, ...]
    is_readable: bool = True

    @property
    def well_formed(self) -> bool:
        """Whether every value has its type and required fields are there, so that a webhook can read it."""
        return not any(problem.rule in {INVALID_TYPE_OR_ENUM, MISSING_FIELD} for problem in self.problems)
