"""Schema nodes of values that hold no others.

Mirrors k8s.io/kube-openapi/pkg/validation/validate for types, ranges, lengths, patterns and enums, and Go's decoding of
integers, quantities (k8s.io/apimachinery/pkg/api/resource, ParseQuantity) and times (metav1.Time, RFC 3339). Go rejects
some values that the schema accepts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kubectl_trainjob.kube.facts.validation import placeholder
from kubectl_trainjob.kube.schemas.cel import CelRule, check_rules
from kubectl_trainjob.kube.schemas.walk import SchemaNode, Walk
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import INVALID_TYPE_OR_ENUM

INT32 = (-(2**31), 2**31 - 1)
_INT64 = (-(2**63), 2**63 - 1)
_LARGEST_EXACT_FLOAT = 2**53 - 1
_QUANTITY = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,18})?")
_LONGEST_QUANTITY = 100
_HUGE_EXPONENT = re.compile(r"[eE][-+]?0*[1-9]\d{3}")
_TIME = r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?(Z|[+-]([0-9]{2}):([0-9]{2}))"


class Scalar(SchemaNode):
    """A node that checks its value as a whole."""

    __slots__ = ()

    def visit(self, value: Any, walk: Walk) -> Any:
        """Check the value's type and limits, then its CEL rules."""
        if value is None and self.nullable:
            return value
        completed = self.accepted(value, walk)
        if completed is not None and self.rules:
            walk.adopt(check_rules(self.rules, completed))
        return value if completed is None else completed

    def accepted(self, value: Any, walk: Walk) -> Any:
        """The value; None after a problem was reported."""
        raise NotImplementedError


class Text(Scalar):
    """A string."""

    __slots__ = ("enum", "longest", "pattern", "shortest", "time")
    expected = "string"

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        super().__init__(schema, rules)
        self.enum: tuple[str, ...] = tuple(schema.get("enum", ()))
        self.shortest: int = schema.get("minLength", 0)
        self.longest: int | None = schema.get("maxLength")
        pattern = schema.get("pattern")
        self.pattern = re.compile(_python_pattern(pattern), re.ASCII) if pattern else None
        self.time = schema.get("format") == "date-time"
        if not (self.shortest or self.longest or self.pattern or self.time or self.enum or rules):
            self.plain = str

    def accepted(self, value: Any, walk: Walk) -> Any:
        """A string whose length, pattern, format and choice are valid."""
        if type(value) is not str:
            return self.reject_type(value, walk)
        error = self._error(value)
        if error:
            return walk.report(INVALID_TYPE_OR_ENUM, say('{} "{}" {}', walk.field(), value, error))
        return value

    def _error(self, value: str) -> Message | None:
        if len(value) < self.shortest:
            return say("is too short; write {} or more characters", self.shortest)
        if self.longest is not None and len(value) > self.longest:
            return say("has {} characters; at most {} are allowed", len(value), self.longest)
        if self.pattern is not None and not self.pattern.search(value):
            return say("does not match the pattern {}", self.pattern.pattern.replace(r"\Z", "$"))
        if self.time and not _is_time(value):
            return say("is not a valid time; write one such as 2026-03-01T08:00:00Z")
        if self.enum and value not in self.enum:
            near = nearest(value, self.enum)
            hint = say('; did you mean "{}"?', near) if near else Message()
            return say("is not allowed; use {}{}", listed(self.enum, "or"), hint)
        return None


class Integer(Scalar):
    """An integer that fits its Go type."""

    __slots__ = ("high", "low")
    expected = "integer"

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        super().__init__(schema, rules)
        low, high = INT32 if schema.get("format") == "int32" else _INT64
        self.low: int = max(low, schema.get("minimum", low))
        self.high: int = min(high, schema.get("maximum", high))

    def accepted(self, value: Any, walk: Walk) -> Any:
        """An integer in range."""
        value = value if type(value) is int else _as_integer(value)
        if type(value) is not int:
            return self.reject_type(value, walk)
        if value < self.low:
            return walk.report(
                INVALID_TYPE_OR_ENUM, say("{} must be at least {}, not {}", walk.field(), self.low, value)
            )
        if value > self.high:
            return walk.report(
                INVALID_TYPE_OR_ENUM, say("{} must be at most {}, not {}", walk.field(), self.high, value)
            )
        return value


class Boolean(Scalar):
    """true or false."""

    __slots__ = ()
    expected = "boolean"

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        super().__init__(schema, rules)
        self.plain = object if rules else bool

    def accepted(self, value: Any, walk: Walk) -> Any:
        """A boolean."""
        return value if type(value) is bool else self.reject_type(value, walk)


class IntOrString(Scalar):
    """A port or a count: an int32 or any string."""

    __slots__ = ()
    expected = "int-or-string"

    def accepted(self, value: Any, walk: Walk) -> Any:
        """An int32 or any string."""
        value = _as_integer(value)
        if type(value) is str:
            return value
        if type(value) is not int:
            return self.reject_type(value, walk)
        if not INT32[0] <= value <= INT32[1]:
            return walk.report(
                INVALID_TYPE_OR_ENUM, say("{} {} does not fit 32 bits; use a smaller number", walk.field(), value)
            )
        return value


class Amount(Scalar):
    """A quantity: an integer or a string such as `500m`."""

    __slots__ = ()
    expected = "quantity"

    def accepted(self, value: Any, walk: Walk) -> Any:
        """An int64, or a string that both the CRD's pattern and Kubernetes' parser accept."""
        if type(value) is not str:
            value = _as_integer(value)
            return value if type(value) is int and _INT64[0] <= value <= _INT64[1] else self.reject_type(value, walk)
        if len(value) > _LONGEST_QUANTITY or _HUGE_EXPONENT.search(value):
            message = say(
                "{} is a quantity outside of the supported range; write a smaller one with fewer digits", walk.field()
            )
        elif not _QUANTITY.fullmatch(value):
            error = placeholder(value) or say('is not a valid quantity; write one such as "500m", "8" or "4Gi"')
            message = say('{} "{}" {}', walk.field(), value, error)
        else:
            return value
        walk.reject_type()
        return walk.report(INVALID_TYPE_OR_ENUM, message)


def _as_integer(value: Any) -> Any:
    """The integer that a float without a fraction is in JSON; any other value unchanged."""
    is_integer = type(value) is float and value.is_integer() and abs(value) <= _LARGEST_EXACT_FLOAT
    return int(value) if is_integer else value


def _is_time(text: str) -> bool:
    match = re.fullmatch(_TIME, text)
    if match is None or int(match[4] or 0) > 23 or int(match[5] or 0) > 59:
        return False
    try:
        datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return False
    return True


def _python_pattern(pattern: str) -> str:
    """A CRD's pattern (RE2) for Python's `re` with ASCII classes: `$` is the end of the text, not a last line's."""
    return pattern[:-1] + r"\Z" if pattern.endswith("$") and not pattern.endswith(r"\$") else pattern
