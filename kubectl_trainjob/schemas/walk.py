"""One walk over a value: the state that the schema's nodes share, and what comes out.

Mirrors the order of k8s.io/apiextensions-apiserver/pkg/registry/customresource: unknown fields, nulls, defaults,
validation, list keys, CEL; here node by node in one pass, because none of them looks at a parent's result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from kubectl_trainjob.findings.rule import Rule
from kubectl_trainjob.findings.schema import INVALID_TYPE_OR_ENUM, MISSING_FIELD
from kubectl_trainjob.schemas.problem import Problem
from kubectl_trainjob.source import Pointer


class Node(Protocol):
    """A schema node: `visit` returns the value with defaults, the same object when nothing changed."""

    def visit(self, value: Any, walk: Walk) -> Any:
        """Judge `value`; problems go to the walk."""


class Memo:
    """Subtrees that were accepted before, by identity; keeps them alive, in two generations of bounded size.

    JobSets of one runtime share most of their parts, so each part is judged once.
    """

    __slots__ = ("_limit", "_old", "_young")

    def __init__(self, limit: int = 2_000) -> None:
        self._limit = limit
        self._young: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._old: dict[tuple[int, int], tuple[Any, Any]] = {}

    def get(self, value: Any, node: Node) -> tuple[Any, Any] | None:
        """The value and its completed form, None when this node has not accepted this very object."""
        key = (id(value), id(node))
        hit = self._young.get(key)
        if hit is None:
            hit = self._old.get(key)
            if hit is not None:
                self._young[key] = hit
        return hit

    def put(self, value: Any, node: Node, completed: Any) -> None:
        """Remember that `node` accepted `value`."""
        if len(self._young) >= self._limit:
            self._old, self._young = self._young, {}
        self._young[id(value), id(node)] = (value, completed)


class Walk:
    """Where the walk stands and what it found. `nulls` are the explicit nulls, which count as absent."""

    __slots__ = ("kind", "memo", "nulls", "problems", "trail")

    def __init__(self, kind: str = "", memo: Memo | None = None) -> None:
        self.kind = kind
        self.memo = memo
        self.trail: list[str | int] = []
        self.problems: list[Problem] = []
        self.nulls: list[Pointer] = []

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
    """An object after the walk: `value` carries the defaults and no nulls (the same object when nothing changed)."""

    value: Mapping[str, Any]
    problems: tuple[Problem, ...]
    nulls: tuple[Pointer, ...]

    @property
    def well_formed(self) -> bool:
        """Whether every value has its type and required fields are there, so that a webhook can read it."""
        return not any(problem.rule in {INVALID_TYPE_OR_ENUM, MISSING_FIELD} for problem in self.problems)
