"""The content of Secrets is never shown, not even after a change of the kind."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.model.source import Pointer

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


def masked(value: Any, pointer: Pointer = ()) -> Any:
    """The value at `pointer` of a current or former Secret, with every scalar masked that may be secret."""
    if any(pointer[: len(shown)] == shown for shown in _SHOWN):
        return value
    if isinstance(value, dict):
        return {key: masked(entry, (*pointer, key)) for key, entry in value.items()}
    if isinstance(value, list):
        return [masked(item, (*pointer, index)) for index, item in enumerate(value)]
    return value if value is None else MASK
