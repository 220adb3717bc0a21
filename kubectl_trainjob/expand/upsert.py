"""Writing into lists by key: replace the first item that matches, else append. Mirrors trainer `pkg/apply`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.api.quantity import Quantity
from kubectl_trainjob.draft import Cause, Draft, Entry
from kubectl_trainjob.source import Pointer

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Write:
    """One item to write: copied as it stands from an input, or computed because of some."""

    item: Item
    copied: Cause | None = None
    because: tuple[Cause, ...] = ()


def _same(key: str) -> Callable[[Item, Item], bool]:
    return lambda old, new: old.get(key) == new.get(key)


def same_port(old: Item, new: Item) -> bool:
    """Trainer's notion of one port: the same number, or the same name — where two unnamed ports have the same name."""
    return old.get("containerPort") == new.get("containerPort") or old.get("name") == new.get("name")


_MATCH = {"env": _same("name"), "volumes": _same("name"), "volumeMounts": _same("mountPath"), "ports": same_port}


def upsert(draft: Draft, owner: Pointer, field: str, writes: Sequence[Write]) -> Draft:
    """Write items into the list `field` ("env", "ports", "volumes" or "volumeMounts") of the object at `owner`."""
    match = _MATCH[field]
    items = list(draft.get(*owner, field) or ())
    entries: list[Entry] = []
    for write in writes:
        index = next((i for i, old in enumerate(items) if match(old, write.item)), len(items))
        items[index : index + 1] = [write.item]
        entries.append((index, write.item, write.copied, write.because))
    return draft.put_all((*owner, field), entries) if entries else draft


def env(name: str, value: str, *because: Cause) -> Write:
    """An environment variable with a computed value."""
    return Write({"name": name, "value": value}, because=because)


def field_env(name: str, field_path: str) -> Write:
    """An environment variable that Kubernetes fills from a field of the Pod."""
    return Write({"name": name, "valueFrom": {"fieldRef": {"fieldPath": field_path}}})


def job_env(entries: Sequence[Item] | None, cause: Cause) -> list[Write]:
    """The TrainJob's env entries as Trainer copies them (`apply.EnvVar`).

    Only four kinds of reference are known there, each with some of its fields; anything else is lost.
    """
    return [Write(_job_env_var(entry), copied=(*cause, index)) for index, entry in enumerate(entries or ())]


def _job_env_var(entry: Item) -> Item:
    source = entry.get("valueFrom")
    if source is None:
        return {"name": entry["name"], "value": entry.get("value", "")}
    kept = {kind: copy(source[kind]) for kind, copy in _REFERENCES.items() if source.get(kind) is not None}
    return {"name": entry["name"], "valueFrom": kept}


def _field_ref(ref: Item) -> Item:
    return {"fieldPath": ref["fieldPath"]}


def _resource_field_ref(ref: Item) -> Item:
    divisor = str(Quantity.parse(ref["divisor"])) if "divisor" in ref else "0"
    return {"containerName": ref.get("containerName", ""), "resource": ref["resource"], "divisor": divisor}


def _key_ref(ref: Item) -> Item:
    kept = {"key": ref["key"], "name": ref.get("name", "")}
    return {**kept, "optional": ref["optional"]} if "optional" in ref else kept


_REFERENCES: dict[str, Callable[[Item], Item]] = {
    "fieldRef": _field_ref,
    "resourceFieldRef": _resource_field_ref,
    "configMapKeyRef": _key_ref,
    "secretKeyRef": _key_ref,
}
