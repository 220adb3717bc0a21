"""What a field manager owns of a live object, from `metadata.managedFields`.

Mirrors the format FieldsV1 (sigs.k8s.io/structured-merge-diff v6, fieldpath/serialize.go): `f:NAME` is a field, `k:{…}`
the member of a list with those keys, `v:VALUE` the member of a set. `.` is the value itself, and `{}` a value with
everything in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

Fields = Mapping[str, Any]


def fields_of(live: Body, manager: str, operation: str) -> Fields:
    """The fields of a manager, outside of subresources; {} for none."""
    for entry in live["metadata"].get("managedFields") or ():
        if entry.get("manager") == manager and entry.get("operation") == operation and not entry.get("subresource"):
            fields: Fields = entry.get("fieldsV1") or {}
            return fields
    return {}


def managers_of(live: Body) -> Iterator[tuple[str, str, Fields]]:
    """Each manager with its operation and its fields."""
    for entry in live["metadata"].get("managedFields") or ():
        yield entry.get("manager", ""), entry.get("operation", ""), entry.get("fieldsV1") or {}


def owned(value: Any, fields: Fields) -> Any:
    """The part of a live value that the fields cover."""
    inner = [key for key in fields if key != "."]
    if not inner:
        return value
    if isinstance(value, list):
        return [owned(item, found) for item in value if (found := _member(item, fields)) is not None]
    if not isinstance(value, dict):
        return value
    names = ((key[2:], fields[key]) for key in inner if key.startswith("f:"))
    return {name: owned(value[name], below) for name, below in names if name in value}


def covers(value: Any, fields: Fields, pointer: Pointer) -> bool:
    """Whether the fields cover the value at the pointer, or a value below it."""
    below: Fields | None = fields
    for key in pointer:
        if isinstance(value, list):
            below = _member(value[key], fields) if isinstance(key, int) and key < len(value) else None
            value = value[key] if below is not None and isinstance(key, int) else None
        else:
            below = fields.get(f"f:{key}")
            value = value.get(key) if isinstance(value, dict) else None
        if below is None:
            return False
        if not below:
            return True
        fields = below
    return True


def without(value: Any, fields: Fields) -> Any:
    """A value without the leaves that the fields cover, and without mappings that became empty."""
    if isinstance(value, list):
        return [item if (found := _member(item, fields)) is None else without(item, found) for item in value]
    if not isinstance(value, dict):
        return value
    left = {}
    for name, entry in value.items():
        below = fields.get(f"f:{name}")
        if below is None:
            left[name] = entry
        elif below:
            kept = without(entry, below)
            if kept != {} or entry == {}:
                left[name] = kept
    return left


def _member(item: Any, fields: Fields) -> Fields | None:
    """The fields below the member of a list; None if they do not cover it."""
    for key, below in fields.items():
        kind, _, text = key.partition(":")
        if kind == "v" and json.loads(text) == item:
            return {}
        if kind == "k" and isinstance(item, dict):
            keys = json.loads(text)
            if all(item.get(name) == value for name, value in keys.items()):
                found: Fields = below
                return found
    return None
