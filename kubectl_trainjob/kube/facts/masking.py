"""Values that are never shown: the content of Secrets, also after a change of kind, and secrets in other objects."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.model import secrets
from kubectl_trainjob.model.secrets import MASK
from kubectl_trainjob.model.source import Pointer, value_at

_SHOWN: tuple[Pointer, ...] = (
    ("apiVersion",),
    ("kind",),
    ("type",),
    ("immutable",),
    ("metadata", "name"),
    ("metadata", "generateName"),
    ("metadata", "namespace"),
)
_USER_OPTIONS = ("-u", "--user", "--proxy-user")


def is_secret_kind(kind: object) -> bool:
    """Whether a kind is Secret, in any spelling."""
    return str(kind).strip().casefold() == "secret"


def without_secrets(value: Any) -> Any:
    """A part of an object, with the secrets of its variables, commands and texts masked."""
    if isinstance(value, dict):
        return {key: value_without_secrets(entry, value, (key,)) for key, entry in value.items()}
    if type(value) is list:
        return [value_without_secrets(item, value, (index,)) for index, item in enumerate(value)]
    return secrets.without_secrets(value) if isinstance(value, str) else value


def value_without_secrets(value: Any, body: Any, pointer: Pointer) -> Any:
    """A current or previous value at `pointer` of `body`, as `without_secrets`."""
    if not isinstance(value, str) or not pointer:
        return without_secrets(value)
    if secrets.has_secret(_name_of(body, pointer), value):
        return MASK
    lead = f"{before} " if (before := _before(body, pointer)) in _USER_OPTIONS else ""
    return secrets.without_secrets(lead + value).removeprefix(lead)


def _name_of(body: Any, pointer: Pointer) -> str:
    """The name that a text has: of its variable, of the option before it in a command, or its key."""
    last = pointer[-1]
    if isinstance(last, int):
        before = _before(body, pointer)
        return before.lstrip("-") if before.startswith("--") else ""
    holder = value_at(body, pointer[:-1])
    name = holder.get("name") if last == "value" and isinstance(holder, dict) else last
    return name if isinstance(name, str) and name != "key" else ""


def _before(body: Any, pointer: Pointer) -> str:
    """The text before an item of a list, such as the option before its value."""
    holder, last = value_at(body, pointer[:-1]), pointer[-1]
    before = holder[last - 1] if isinstance(holder, list) and isinstance(last, int) and 0 < last <= len(holder) else ""
    return before if isinstance(before, str) else ""


def mask(value: Any, pointer: Pointer = ()) -> Any:
    """The value at `pointer` of a current or former Secret, with every scalar masked that may be secret."""
    if any(pointer[: len(shown)] == shown for shown in _SHOWN):
        return value
    if isinstance(value, dict):
        return {key: mask(entry, (*pointer, key)) for key, entry in value.items()}
    if isinstance(value, list):
        return [mask(item, (*pointer, index)) for index, item in enumerate(value)]
    return value if value is None else MASK
