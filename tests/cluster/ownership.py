"""What one manager applied: the part of a live object that `managedFields` says is its own."""

from __future__ import annotations

import json
from typing import Any

Object = dict[str, Any]


def applied_by(manager: str, live: Object) -> Object:
    """The object as the manager applied it (apiVersion, kind and its own fields), without owners."""
    entries = [e for e in live["metadata"].get("managedFields", []) if e["manager"] == manager]
    assert [entry["operation"] for entry in entries] == ["Apply"], f"{live['metadata']['name']}: {entries}"
    own = _part(live, entries[0]["fieldsV1"])
    identity = {key: live["metadata"][key] for key in ("name", "namespace")}
    metadata = {key: value for key, value in own.get("metadata", {}).items() if key != "ownerReferences"}
    return {**own, "apiVersion": live["apiVersion"], "kind": live["kind"], "metadata": {**metadata, **identity}}


def owner(live: Object) -> str | None:
    """The name of the TrainJob that owns an object."""
    owners = live["metadata"].get("ownerReferences", [])
    return next((one["name"] for one in owners if one["kind"] == "TrainJob"), None)


def _part(value: Any, fields: Object) -> Any:
    """`fields` is a FieldsV1: `f:NAME` in objects, `k:{KEYS}` in lists by key, `v:VALUE` in sets, {} for all of it."""
    if not fields:
        return value
    if isinstance(value, list):
        chosen = ((entry, _of_entry(entry, fields)) for entry in value)
        return [_part(entry, inner) for entry, inner in chosen if inner is not None]
    names = {key.removeprefix("f:"): inner for key, inner in fields.items() if key != "."}
    return {name: _part(entry, names[name]) for name, entry in value.items() if name in names}


def _of_entry(entry: Any, fields: Object) -> Object | None:
    for key, inner in fields.items():
        sort, _, text = key.partition(":")
        if sort == "v" and json.loads(text) == entry:
            return {}
        if sort == "k" and all(entry.get(name) == value for name, value in json.loads(text).items()):
            return inner
    return None
