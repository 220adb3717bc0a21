"""One walk over a value: the state that the schema's nodes share, and the result.

Mirrors the order of k8s.io/apiextensions-apiserver/pkg/registry/customresource: unknown fields, nulls, defaults,
validation, list keys, CEL; here node by node in one pass, because none of them depends on a parent's result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from kubectl_trainjob.kube.schemas.cel import CelRule
from kubectl_trainjob.kube.schemas.messages import invalid_type
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import INVALID_TYPE_OR_ENUM, MISSING_FIELD, Rule
from kubectl_trainjob.model.source import Pointer


class PartCache:
    """Parts that were accepted before: JobSets share them with their runtime, and they are not walked again.

    `accepted` maps the id of a value to (value, node, value with defaults), which keeps the value alive. It grows only
    while `is_growing`: parts of a single job are not worth keeping.
    """

    __slots__ = ("accepted", "is_growing")

    def __init__(self) -> None:
        self.accepted: dict[int, tuple[Any, SchemaNode, Any]] = {}
        self.is_growing = False


class Walk:
    """The current position (`trail`) and what was found. `nulls` are the explicit nulls, which count as absent.

    `mistyped` are the values of another type. Once there is one, or a name is missing, `is_readable` is false: then no
    other walk is possible.
    """

    __slots__ = ("cache", "is_readable", "mistyped", "nulls", "problems", "trail")

    def __init__(self, cache: PartCache | None = None) -> None:
        self.cache = cache
        self.trail: list[str | int] = []
        self.problems: list[Problem] = []
        self.nulls: list[Pointer] = []
        self.mistyped: list[Pointer] = []
        self.is_readable = True

    def pointer(self, *below: str | int) -> Pointer:
        """The place of the current value, or of a value below it."""
        return (*self.trail, *below)

    def report(self, rule: Rule, message: Message, *below: str | int, on: Literal["key", "value"] = "value") -> None:
        """Add a problem of the current value, or of a value below it."""
        self.problems.append(Problem(rule, self.pointer(*below), message, on))

    def reject_type(self) -> None:
        """Remember that the current value is of another type."""
        self.mistyped.append(self.pointer())
        self.is_readable = False

    def adopt(self, found: Iterable[Problem]) -> None:
        """Add problems whose pointers begin at the current value."""
        self.problems.extend(replace(problem, pointer=self.pointer(*problem.pointer)) for problem in found)

    def field(self) -> str:
        """The current value as users name it: its key, or its list's key and index."""
        steps = self.trail
        if not steps:
            return "the object"
        last = len(steps) - 1
        while last > 0 and isinstance(steps[last], int):
            last -= 1
        return str(steps[last]) + "".join(f"[{step}]" for step in steps[last + 1 :])


class SchemaNode:
    """The schema of one value. `plain` is a type that needs no check; `default` and `nullable` serve parents.

    `immutable` is the server's message for an update that changes the value, "" where it may change.
    """

    __slots__ = ("default", "immutable", "nullable", "plain", "rules")
    expected = ""

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        self.default = schema.get("default")
        self.immutable: str = schema.get("immutable", "")
        self.nullable: bool = schema.get("nullable", False)
        self.rules = rules
        self.plain: type = object

    def visit(self, value: Any, walk: Walk) -> Any:
        """The value with defaults, the same object when nothing changed; problems go to the walk."""
        raise NotImplementedError

    def reject_type(self, value: Any, walk: Walk) -> None:
        """Report that the value is of another type."""
        walk.reject_type()
        message = invalid_type(walk.field(), self.expected, value)
        walk.report(INVALID_TYPE_OR_ENUM, say("{}{}", message, self.remedy(value)))

    def remedy(self, _value: Any) -> Message:
        """How to write a value of another type, if more is known than the type."""
        return Message()


@dataclass(frozen=True, slots=True)
class SchemaResult:
    """An object after the walk: `value` has the defaults and no nulls (the same object when nothing changed).

    `is_readable` says whether every value has its type, even if there are other errors; `mistyped` are those without.
    """

    value: Mapping[str, Any]
    problems: tuple[Problem, ...]
    nulls: tuple[Pointer, ...]
    is_readable: bool = True
    mistyped: tuple[Pointer, ...] = ()

    @property
    def is_well_formed(self) -> bool:
        """Whether every value has its type and required fields exist: then a webhook can read it."""
        return not any(problem.rule in {INVALID_TYPE_OR_ENUM, MISSING_FIELD} for problem in self.problems)
