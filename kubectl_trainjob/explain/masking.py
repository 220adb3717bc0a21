"""What Secrets hold is never shown."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.source import Pointer
from kubectl_trainjob.stages import ObjectId

MASK = "***"
_HIDDEN: tuple[Pointer, ...] = (
    ("data",),
    ("stringData",),
    ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"),
)


def masked(identity: ObjectId, value: Any, pointer: Pointer = ()) -> Any:
    """The value at `pointer` of an object as it may be shown: in a Secret the texts it keeps are masked."""
    if (identity.api_version, identity.kind) != ("v1", "Secret"):
        return value
    if any(pointer[: len(hidden)] == hidden for hidden in _HIDDEN):
        return mask(value)
    if isinstance(value, dict):
        return {key: masked(identity, entry, (*pointer, key)) for key, entry in value.items()}
    return value


def mask(value: Any) -> Any:
    """The value with every scalar in it masked."""
    if isinstance(value, dict):
        return {key: mask(entry) for key, entry in value.items()}
    return [mask(item) for item in value] if isinstance(value, list) else MASK
