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


class ListMembers:
    """The members of a list that fields cover: by the values of their keys, or by their own value."""

    def __init__(self, fields: Fields) -> None:
        self._values: set[str] = set()
        self._keyed: dict[tuple[str, ...], dict[str, Fields]] = {}
        for key, below in fields.items():
            kind, _, text = key.partition(":")
            if kind == "v":
                self._values.add(_word(json.loads(text)))
            elif kind == "k":
                keys = json.loads(text)
                self._keyed.setdefault(tuple(keys), {})[_word([*keys.values()])] = below

    def find(self, item: Any) -> Fields | None:
        """The fields below a member; None if they do not cover it."""
        for names, found in self._keyed.items() if isinstance(item, dict) else ():
            below = found.get(_word([item.get(name) for name in names]))
            if below is not None:
                return below
        return {} if self._values and _word(item) in self._values else None


def _word(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


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
        members = ListMembers(fields)
        return [owned(item, found) for item in value if (found := members.find(item)) is not None]
    if not isinstance(value, dict):
        return value
    names = ((key[2:], fields[key]) for key in inner if key.startswith("f:"))
    return {name: owned(value[name], below) for name, below in names if name in value}


def covers(value: Any, fields: Fields, pointer: Pointer, known: dict[int, ListMembers]) -> bool:
    """Whether the fields cover the value at the pointer, or a value below it.

    `known` keeps the members of lists by the id of their fields, for other pointers.
    """
    below: Fields | None = fields
    for key in pointer:
        if isinstance(value, list):
            members = known.get(id(fields)) or known.setdefault(id(fields), ListMembers(fields))
            below = members.find(value[key]) if isinstance(key, int) and key < len(value) else None
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
        members = ListMembers(fields)
        return [item if (found := members.find(item)) is None else without(item, found) for item in value]
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
