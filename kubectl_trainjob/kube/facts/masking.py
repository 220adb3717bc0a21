"""Values that are never shown: the content of Secrets, even after a change of the kind, and secrets in `env`."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.kube.facts.secret_values import is_secret_variable
from kubectl_trainjob.model.source import Pointer, value_at

MASK = "***"
_SHOWN: tuple[Pointer, ...] = (
    ("apiVersion",),
    ("kind",),
    ("type",),
    ("immutable",),
    ("metadata", "name"),
    ("metadata", "generateName"),
    ("metadata", "namespace"),
)


def is_secret_kind(kind: object) -> bool:
    """Whether a kind is Secret, in any spelling."""
    return str(kind).strip().casefold() == "secret"


def without_secrets(value: Any) -> Any:
    """A part of an object, with the secrets of its environment variables masked."""
    if isinstance(value, dict):
        shown = {key: without_secrets(entry) for key, entry in value.items()}
        if _is_secret_entry(value, value.get("value")):
            shown["value"] = MASK
        return shown
    return [without_secrets(item) for item in value] if type(value) is list else value


def value_without_secrets(value: Any, body: Any, pointer: Pointer) -> Any:
    """A current or previous value at `pointer` of `body`, as `without_secrets`."""
    if pointer[-1:] == ("value",) and _is_secret_entry(value_at(body, pointer[:-1]), value):
        return MASK
    return without_secrets(value)


def _is_secret_entry(entry: Any, value: Any) -> bool:
    """Whether `value` is a secret as the value of this item of `env`."""
    name = entry.get("name") if isinstance(entry, dict) else None
    return isinstance(name, str) and isinstance(value, str) and is_secret_variable(name, value)


def masked(value: Any, pointer: Pointer = ()) -> Any:
    """The value at `pointer` of a current or former Secret, with every scalar masked that may be secret."""
    if any(pointer[: len(shown)] == shown for shown in _SHOWN):
        return value
    if isinstance(value, dict):
        return {key: masked(entry, (*pointer, key)) for key, entry in value.items()}
    if isinstance(value, list):
        return [masked(item, (*pointer, index)) for index, item in enumerate(value)]
    return value if value is None else MASK
