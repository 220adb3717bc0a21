"""Writing into lists by key: replace the first item that matches, else append. Mirrors trainer `pkg/apply`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.model.draft import Cause, Draft, Entry
from kubectl_trainjob.model.source import Pointer

Item = dict[str, Any]


class Upsert(NamedTuple):
    """One item to write: copied unchanged from an input, or computed from some."""

    item: Item
    copied: Cause | None = None
    because: tuple[Cause, ...] = ()


_KEYS = {"env": "name", "volumes": "name", "volumeMounts": "mountPath"}


def same_port(old: Item, new: Item) -> bool:
    """Trainer's notion of one port: the same number, or the same name — where two unnamed ports have the same name."""
    return old.get("containerPort") == new.get("containerPort") or old.get("name") == new.get("name")


def upsert(draft: Draft, owner: Pointer, field: str, items: Sequence[Upsert]) -> Draft:
    """Write items into the list `field` ("env", "volumes" or "volumeMounts") of the object at `owner`."""
    if not items:
        return draft
    key = _KEYS[field]
    places: dict[Any, int] = {}
    size = 0
    for old in draft.get(*owner, field) or ():
        places.setdefault(old.get(key), size)
        size += 1
    entries: list[Entry] = []
    for each in items:
        index = places.setdefault(each.item[key], size)
        size = max(size, index + 1)
        entries.append((index, *each))
    return draft.put_all((*owner, field), entries)


def upsert_port(draft: Draft, container: Pointer, number: int) -> Draft:
    """Write an unnamed port into the container's list."""
    port = _port(number)
    ports = draft.get(*container, "ports") or ()
    index = next((i for i, old in enumerate(ports) if same_port(old, port)), len(ports))
    return draft.put((*container, "ports", index), port)


# Most jobs get the same few items. Nothing ever writes into one, so they can share them.


@lru_cache(maxsize=64)
def _port(number: int) -> Item:
    return {"containerPort": number}


@lru_cache(maxsize=1024)
def _variable(name: str, value: str) -> Item:
    return {"name": name, "value": value}


@lru_cache(maxsize=64)
def _field_variable(name: str, field_path: str) -> Item:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": field_path}}}


def env(name: str, value: str, *because: Cause) -> Upsert:
    """An environment variable with a computed value."""
    return Upsert(_variable(name, value), because=because)


def field_env(name: str, field_path: str) -> Upsert:
    """An environment variable that Kubernetes fills from a field of the Pod."""
    return Upsert(_field_variable(name, field_path))


def job_env(entries: Sequence[Item] | None, cause: Cause) -> list[Upsert]:
    """The TrainJob's env entries as Trainer copies them (`apply.EnvVar`).

    Trainer copies only four kinds of reference, each with some of its fields, and drops all others.
    """
    return [Upsert(_job_env_var(entry), copied=(*cause, index)) for index, entry in enumerate(entries or ())]


def _job_env_var(entry: Item) -> Item:
    source = entry.get("valueFrom")
    if source is None:
        return (
            entry if "value" in entry and len(entry) == 2 else {"name": entry["name"], "value": entry.get("value", "")}
        )
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
