"""Schema nodes of values that hold no others.

Mirrors k8s.io/kube-openapi/pkg/validation/validate for types, ranges, lengths, patterns and enums, and Go's decoding of
integers, quantities and times, which refuses what the schema lets through.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.schemas.cel import CelRule, broken
from kubectl_trainjob.kube.schemas.formats import (
    INT32,
    INT64,
    LARGEST_EXACT_FLOAT,
    is_quantity,
    is_time,
    python_pattern,
)
from kubectl_trainjob.kube.schemas.messages import listed, quoted, wrong_type
from kubectl_trainjob.kube.schemas.walk import Walk
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import INVALID_TYPE_OR_ENUM


class Scalar:
    """What all of them have: `plain` is the type that needs no further look, `default` and `nullable` serve parents.

    `immutable` is what the server says to an update that changes the value, "" where it may change.
    """

    __slots__ = ("default", "enum", "immutable", "nullable", "plain", "rules")
    expected = ""

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        self.default = schema.get("default")
        self.immutable: str = schema.get("immutable", "")
        self.nullable: bool = schema.get("nullable", False)
        self.enum: tuple[Any, ...] = tuple(schema.get("enum", ()))
        self.rules = rules
        self.plain: type = object

    def visit(self, value: Any, walk: Walk) -> Any:
        """Judge the value's type, then what the schema says of it, then its CEL rules."""
        if value is None and self.nullable:
            return value
        completed = self.judge(value, walk)
        if completed is not None and self.rules:
            walk.adopt(broken(self.rules, completed))
        return value if completed is None else completed

    def judge(self, value: Any, walk: Walk) -> Any:
        """The value, None when it was reported."""
        raise NotImplementedError

    def refuse(self, value: Any, walk: Walk) -> None:
        """The value is of another type."""
        walk.is_readable = False
        walk.report(INVALID_TYPE_OR_ENUM, wrong_type(walk.field(), self.expected, value))

    def allowed(self, value: Any, walk: Walk) -> bool:
        """Whether the enum has the value."""
        if not self.enum or value in self.enum:
            return True
        walk.report(INVALID_TYPE_OR_ENUM, _not_in_enum(walk.field(), value, self.enum))
        return False


def _not_in_enum(field: str, value: Any, enum: tuple[Any, ...]) -> str:
    near = nearest(str(value), [str(choice) for choice in enum])
    hint = f"; did you mean {quoted(near)}?" if near else ""
    return f"{field} {quoted(value)} is not allowed; use {listed(map(quoted, enum), 'or')}{hint}"


class Text(Scalar):
    """A string."""

    __slots__ = ("longest", "pattern", "shortest", "time")
    expected = "string"

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        super().__init__(schema, rules)
        self.shortest: int = schema.get("minLength", 0)
        self.longest: int | None = schema.get("maxLength")
        pattern = schema.get("pattern")
        self.pattern = re.compile(python_pattern(pattern), re.ASCII) if pattern else None
        self.time = schema.get("format") == "date-time"
        if not (self.shortest or self.longest or self.pattern or self.time or self.enum or rules):
            self.plain = str

    def judge(self, value: Any, walk: Walk) -> Any:
        """A string of the right length, pattern, format and choice."""
        if type(value) is not str:
            return self.refuse(value, walk)
        fault = self._fault(value)
        if fault:
            return walk.report(INVALID_TYPE_OR_ENUM, f"{walk.field()} {quoted(value)} {fault}")
        return value if self.allowed(value, walk) else None

    def _fault(self, value: str) -> str:
        if len(value) < self.shortest:
            return f"is too short; write at least {self.shortest} character{'s' * (self.shortest > 1)}"
        if self.longest is not None and len(value) > self.longest:
            return f"has {len(value)} characters; at most {self.longest} are allowed"
        if self.pattern is not None and not self.pattern.search(value):
            return f"does not match the pattern {self.pattern.pattern.replace(chr(92) + 'Z', '$')}"
        if self.time and not is_time(value):
            return "is no time; write one such as 2026-03-01T08:00:00Z"
        return ""


class Integer(Scalar):
    """An integer that fits its Go type."""

    __slots__ = ("high", "low")
    expected = "integer"

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        super().__init__(schema, rules)
        low, high = INT32 if schema.get("format") == "int32" else INT64
        self.low: int = max(low, schema.get("minimum", low))
        self.high: int = min(high, schema.get("maximum", high))

    def judge(self, value: Any, walk: Walk) -> Any:
        """An integer in range; a float without a fraction is one, as in JSON."""
        if type(value) is float and value.is_integer() and abs(value) <= LARGEST_EXACT_FLOAT:
            value = int(value)
        if type(value) is not int:
            return self.refuse(value, walk)
        if value < self.low:
            return walk.report(INVALID_TYPE_OR_ENUM, f"{walk.field()} must be at least {self.low}, not {value}")
        if value > self.high:
            return walk.report(INVALID_TYPE_OR_ENUM, f"{walk.field()} must be at most {self.high}, not {value}")
        return value if self.allowed(value, walk) else None


class Number(Scalar):
    """A floating point number."""

    __slots__ = ("high", "low")
    expected = "number"

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        super().__init__(schema, rules)
        self.low: float = schema.get("minimum", float("-inf"))
        self.high: float = schema.get("maximum", float("inf"))

    def judge(self, value: Any, walk: Walk) -> Any:
        """A number in range."""
        if type(value) is not float and type(value) is not int:
            return self.refuse(value, walk)
        if not self.low <= value <= self.high:
            return walk.report(
                INVALID_TYPE_OR_ENUM, f"{walk.field()} must be from {self.low} to {self.high}, not {value}"
            )
        return value if self.allowed(value, walk) else None


class Boolean(Scalar):
    """true or false."""

    __slots__ = ()
    expected = "boolean"

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        super().__init__(schema, rules)
        if not (rules or self.enum):
            self.plain = bool

    def judge(self, value: Any, walk: Walk) -> Any:
        """A boolean."""
        if type(value) is not bool:
            return self.refuse(value, walk)
        return value if self.allowed(value, walk) else None


class IntOrString(Scalar):
    """A port or a count: an int32 or a string."""

    __slots__ = ()
    expected = "int-or-string"

    def judge(self, value: Any, walk: Walk) -> Any:
        """An int32 or any string."""
        if type(value) is float and value.is_integer() and abs(value) <= LARGEST_EXACT_FLOAT:
            value = int(value)
        if type(value) is str:
            return value
        if type(value) is not int:
            return self.refuse(value, walk)
        if not INT32[0] <= value <= INT32[1]:
            return walk.report(
                INVALID_TYPE_OR_ENUM, f"{walk.field()} {value} does not fit 32 bits; use a smaller number"
            )
        return value


_LONGEST_QUANTITY = 100
_HUGE_EXPONENT = re.compile(r"[eE][-+]?0*[1-9]\d{3}")


class Amount(Scalar):
    """A quantity: an integer or a string such as `500m`."""

    __slots__ = ()
    expected = "quantity"

    def judge(self, value: Any, walk: Walk) -> Any:
        """An int64 or a string that Kubernetes' parser takes."""
        if type(value) is str:
            if len(value) <= _LONGEST_QUANTITY and not _HUGE_EXPONENT.search(value) and is_quantity(value):
                return value
            walk.is_readable = False
            if len(value) > _LONGEST_QUANTITY or _HUGE_EXPONENT.search(value):
                return walk.report(
                    INVALID_TYPE_OR_ENUM, f"{walk.field()} is a quantity of absurd size; write it shorter"
                )
            return walk.report(
                INVALID_TYPE_OR_ENUM,
                f'{walk.field()} {quoted(value)} is no quantity; write one such as "500m", "8" or "4Gi"',
            )
        if type(value) is float and value.is_integer() and abs(value) <= LARGEST_EXACT_FLOAT:
            value = int(value)
        if type(value) is not int or not INT64[0] <= value <= INT64[1]:
            return self.refuse(value, walk)
        return value


class Anything(Scalar):
    """A value that the schema does not look into."""

    __slots__ = ()

    def judge(self, value: Any, walk: Walk) -> Any:  # noqa: ARG002
        """Whatever it is."""
        return value
