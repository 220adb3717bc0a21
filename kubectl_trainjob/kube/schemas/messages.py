"""The messages of schema errors."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.kube.facts.validation import placeholder
from kubectl_trainjob.model.message import Message, describe, joined, say
from kubectl_trainjob.model.nearest import nearest

_MOST_KNOWN = 12
_TYPES = {
    "string": say("a string"),
    "integer": say("an integer"),
    "boolean": say("true or false"),
    "array": say("a list"),
    "object": say("a mapping"),
    "int-or-string": say("an integer or a string"),
    "quantity": say('a quantity, that is an integer or a string such as "500m" or "4Gi"'),
}

_SCALARS = ("integer", "boolean", "int-or-string")


def invalid_type(field: str, expected: str, value: Any) -> Message:
    """A value of another type than the field's, and how to write the right one."""
    if isinstance(value, str) and expected in _SCALARS and (error := placeholder(value)):
        return say('{} "{}" {}', field, value, error)
    return say("{} must be {}, not {}{}", field, _TYPES[expected], describe(value), _remedy(expected, value))


def _remedy(expected: str, value: Any) -> Message:
    if value is None:
        return say("; remove the item or give it a value")
    if expected in {"string", "quantity"} and isinstance(value, bool | int | float):
        return say("; put the value in quotes")
    text = value.strip().lower() if isinstance(value, str) else ""
    is_number = expected == "integer" and text.lstrip("+-").isdigit()
    if is_number or (expected == "boolean" and text in {"true", "false"}):
        return say("; remove the quotes: {}", text)
    if expected == "string" and isinstance(value, dict) and len(value) == 1:
        return say('; quote a text that has ": " in it')
    if expected == "array" and not isinstance(value, dict | list):
        return say("; write a list, one `- item` a line")
    return Message()


def unknown_field(name: str, known: list[str]) -> Message:
    """A key that the schema does not have."""
    return unknown_among(name, nearest(name, known), known)


def unknown_among(name: str, near: str | None, known: list[str]) -> Message:
    """The same, if the nearest of the known ones was already sought."""
    advice = say("remove it")
    if not known:
        advice = say("no field is allowed here, remove it")
    elif len(known) <= _MOST_KNOWN:
        advice = say("remove it (allowed: {})", joined(say("{}", each) for each in known))
    return say('unknown field "{}"; {}', name, say('did you mean "{}"?', near) if near else advice)
