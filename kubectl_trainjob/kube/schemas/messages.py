"""The words in which schema findings are told."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

_LONGEST_VALUE = 80
_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "int-or-string": "an integer or a string",
    "quantity": 'a quantity, that is an integer or a string such as "500m" or "4Gi"',
}


def quoted(value: Any) -> str:
    """A value in double quotes, cut where it would fill the line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) > _LONGEST_VALUE:
        text = text[: _LONGEST_VALUE - 1] + "…"
    return f'"{text}"'


def described(value: Any) -> str:
    """What a value is: `the string "two"`, `the number 0.5`, `a list`."""
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if value is None:
        return "null"
    return "a list" if isinstance(value, list) else "a mapping"


def listed(names: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, final = names
    return f"{', '.join(most)} {last} {final}" if most else final


def wrong_type(field: str, expected: str, value: Any) -> str:
    """A value of another type than the field's, and how to write the right one."""
    return f"{field} must be {_TYPES[expected]}, not {described(value)}{_remedy(expected, value)}"


def _remedy(expected: str, value: Any) -> str:
    if value is None:
        return "; remove the item or give it a value"
    if expected in {"string", "quantity"} and isinstance(value, bool | int | float):
        return "; put the value in quotes"
    if expected in {"integer", "number"} and isinstance(value, str) and value.strip().lstrip("+-").isdigit():
        return f"; remove the quotes: {value.strip()}"
    if expected == "boolean" and isinstance(value, str) and value.lower() in {"true", "false"}:
        return f"; remove the quotes: {value.lower()}"
    if expected == "array" and not isinstance(value, dict | list):
        return "; write a list, one `- item` a line"
    return ""


def unknown_field(name: str, near: str | None, known: list[str]) -> str:
    """A key that the schema does not have."""
    if near is not None:
        return f"unknown field {quoted(name)}; did you mean {quoted(near)}?"
    if not known:
        return f"unknown field {quoted(name)}; no field is allowed here, remove it"
    if len(known) <= 12:
        return f"unknown field {quoted(name)}; remove it (allowed: {', '.join(known)})"
    return f"unknown field {quoted(name)}; remove it"
