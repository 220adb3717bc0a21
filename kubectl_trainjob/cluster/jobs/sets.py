"""The sets that runs belong to, as far as their inventories are readable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.cluster import inventory, marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import Inventory, InventoryEntry
from kubectl_trainjob.cluster.result import set_named
from kubectl_trainjob.cluster.stores import store_of
from kubectl_trainjob.kube.facts.kinds import CONFIGURATION_GROUP
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_TRAINING_SET = (f"{CONFIGURATION_GROUP}/v1alpha1", "TrainingSet")
_CONFIG_MAP = ObjectId("v1", "ConfigMap", "", "")


class KnownSet(NamedTuple):
    """A set: its id, the namespaces of its members, and its inventory."""

    id: str
    namespaces: frozenset[str]
    inventory: Inventory


def known_sets(api: Api, namespace: str, name: str, note: Callable[[str], None]) -> Iterator[KnownSet]:
    """The set with a name, else all sets of a namespace ("" for all). Raises EnvironmentFault for a foreign one."""
    if name:
        yield _of_name(api, namespace, name)
        return
    try:
        for live in api.list(api.resource(_CONFIG_MAP), namespace, marks.APPLYSET_ID):
            tool = value_at(live, ("metadata", "annotations", marks.TOOLING)) or ""
            if tool.partition("/")[0] == "kubectl-trainjob":
                yield config_map_set(live)
        if api.has_kind(*_TRAINING_SET):
            for live in api.list(api.resource(ObjectId(*_TRAINING_SET, "", "")), namespace):
                yield _of_training_set(live)
    except ApiError as error:
        note(f"runs that no longer exist are not shown ({error.reason}: {error.message})")


def object_of(entry: InventoryEntry) -> ObjectId:
    """The object of an entry."""
    namespace, name, group, kind = entry.id.split("_")
    return ObjectId(f"{group}/{entry.version}" if group else entry.version, kind, namespace, name)


def _of_name(api: Api, namespace: str, name: str) -> KnownSet:
    store = store_of(api, namespace, name)
    parent = store.read()
    return KnownSet(store.name.id, parent.namespaces | {namespace}, parent.inventory)


def _of_training_set(live: Body) -> KnownSet:
    metadata = live["metadata"]
    found = inventory.of_entries(value_at(live, ("status", "inventory", "entries")) or ())
    id_ = set_named("TrainingSet", metadata["namespace"], metadata["name"]).id
    spaces = {object_of(each).namespace for each in found.values()}
    return KnownSet(id_, frozenset({metadata["namespace"], *spaces}), found)


def config_map_set(live: Body) -> KnownSet:
    """The set of a ConfigMap with a label for its id."""
    metadata, found = live["metadata"], _parse_inventory(value_at(live, ("data", "inventory")))
    return KnownSet(metadata["labels"][marks.APPLYSET_ID], frozenset({metadata["namespace"]}), found)


def _parse_inventory(text: Any) -> Inventory:
    """The entries of an inventory; none of one that cannot be read, which `apply` reports."""
    try:
        return inventory.parsed(text or "")
    except (ValueError, AttributeError):
        return {}
