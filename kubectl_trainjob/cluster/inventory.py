"""The inventory of a set: one entry for each run and Secret that was applied. Pure functions over immutable entries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.model.stages import ObjectId

MOST_ENTRIES = 4000
_PARTS = 4  # of the id of an entry


@dataclass(frozen=True, slots=True)
class InventoryEntry:
    """The record of an object that we applied, kept after its deletion; `at` is the server's time, RFC 3339.

    `starting` is written before the object, `started` after it. `ended` says why we ended a run.
    """

    id: str
    version: str
    uid: str = ""
    hash: str = ""
    state: Literal["starting", "started"] = "starting"
    at: str = ""
    ended: str = ""


Inventory = Mapping[str, InventoryEntry]


def entry_id(identity: ObjectId) -> str:
    """The id of an object in an inventory, as in cli-utils."""
    return f"{identity.namespace}_{identity.name}_{group_of(identity.api_version)}_{identity.kind}"


def parsed(text: str) -> Inventory:
    """The inventory of a JSON text, without entries that cannot be read."""
    found = json.loads(text) if text else {}
    return of_entries(found.get("entries", ()))


def of_entries(values: Iterable[Mapping[str, Any]]) -> Inventory:
    """The inventory of entries as plain data, without those that name no object."""
    named = (each for each in values if str(each.get("id")).count("_") == _PARTS - 1)
    return {entry.id: entry for entry in map(_entry, named)}


def written(inventory: Inventory) -> list[dict[str, str]]:
    """The entries as plain data, sorted, without empty values."""
    entries = (inventory[key] for key in sorted(inventory))
    return [{name: value for name, value in _plain(entry).items() if value} for entry in entries]


def merged(ours: Inventory, theirs: Inventory) -> Inventory:
    """Both; of one object the entry of ours."""
    return {**theirs, **ours}


def without(inventory: Inventory, ids: Iterable[str]) -> Inventory:
    """The inventory without some objects."""
    gone = set(ids)
    return {key: entry for key, entry in inventory.items() if key not in gone}


def _entry(value: Mapping[str, Any]) -> InventoryEntry:
    state: Literal["starting", "started"] = "started" if value.get("state") == "started" else "starting"
    head = value["id"], value.get("v", ""), value.get("uid", ""), value.get("hash", "")
    return InventoryEntry(*head, state, value.get("at", ""), value.get("ended", ""))


def _plain(entry: InventoryEntry) -> dict[str, str]:
    head = {"id": entry.id, "v": entry.version, "uid": entry.uid, "hash": entry.hash}
    return {**head, "state": entry.state, "at": entry.at, "ended": entry.ended}
