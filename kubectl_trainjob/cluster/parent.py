"""The parent of a set: a ConfigMap that says which kinds and namespaces its members have, and has the inventory.

It is written before the first object and narrowed after the last one: at any moment it covers every member. Mirrors
kubectl's ApplySets (KEP-3659). Each write has the version that was read; another writer's entries are kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from kubectl_trainjob import __version__
from kubectl_trainjob.cluster import inventory, marks
from kubectl_trainjob.cluster.errors import NEW, ApiError
from kubectl_trainjob.cluster.inventory import Inventory, InventoryEntry
from kubectl_trainjob.cluster.result import SetName
from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.stages import Body, ObjectId

_TRIES = 5
_MOST_BYTES = 1 << 20
_UID_BYTES = 50  # of an entry whose object is created


@dataclass(frozen=True, slots=True)
class Parent:
    """The content of the parent: kinds as `KIND.GROUP` (core kinds as `KIND`), namespaces, and the inventory."""

    version: str = NEW
    uid: str = ""
    kinds: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    inventory: Inventory = field(default_factory=dict)
    is_complete: bool = True
    """Whether all of it is in the object; if not, the next update writes it."""


@dataclass(frozen=True, slots=True)
class Update:
    """A change of a parent that can be made again on a newer version of it."""

    kinds: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    entries: Mapping[str, InventoryEntry] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    gone_kinds: frozenset[str] = frozenset()
    gone_namespaces: frozenset[str] = frozenset()

    def of(self, parent: Parent, own: str) -> Parent:
        """The parent after the change; its own namespace stays, because every parent covers it."""
        return replace(
            parent,
            kinds=(parent.kinds - self.gone_kinds) | self.kinds,
            namespaces=(parent.namespaces - (self.gone_namespaces - {own})) | self.namespaces,
            inventory=inventory.merged(self.entries, inventory.without(parent.inventory, self.gone)),
            is_complete=True,
        )


class ForeignParentError(EnvironmentFault):
    """The object that would be the parent belongs to something else; only a user can change that."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(f"{problem}; {advice}")
        self.problem = problem


class Store(Protocol):
    """Where a parent is kept."""

    name: SetName

    def read(self) -> Parent:
        """The parent as it is now."""

    def write(self, parent: Parent) -> Parent:
        """Write it. Raises ApiError "Stale" if it changed since it was read."""


def parent_in(live: Body, name: SetName, entries: Inventory) -> Parent:
    """The parent that a live object is. Raises ForeignParentError for one that is not ours."""
    metadata = live["metadata"]
    labels, notes = metadata.get("labels") or {}, metadata.get("annotations") or {}
    where = f"{name.kind} {name.namespace}/{name.name}"
    tool = notes.get(marks.TOOLING, "")
    is_copied = name.kind == "TrainingSet"  # an export of another one, under a new name
    other = "use another TrainingSet" if is_copied else "choose another name with --applyset"
    advice = f"remove its label {marks.APPLYSET_ID}" if is_copied else other
    if marks.APPLYSET_ID not in labels or not tool:
        raise ForeignParentError(f"{where} is not the parent of a set", advice)
    if tool.partition("/")[0] != "kubectl-trainjob":
        raise ForeignParentError(f"{where} is the parent of a set of {tool.partition('/')[0]}", other)
    if labels[marks.APPLYSET_ID] != name.id:
        raise ForeignParentError(f"{where} has the id of another set, perhaps as a copy", advice)
    kinds, spaces = _words(notes.get(marks.GROUP_KINDS)), _words(notes.get(marks.NAMESPACES)) | {name.namespace}
    return Parent(metadata["resourceVersion"], metadata["uid"], kinds, spaces, entries)


def parent_marks(parent: Parent, name: SetName) -> dict[str, dict[str, str]]:
    """The label and the annotations of a parent."""
    notes = {
        marks.TOOLING: f"kubectl-trainjob/v{__version__}",
        marks.GROUP_KINDS: ",".join(sorted(parent.kinds)),
        marks.NAMESPACES: ",".join(sorted(parent.namespaces - {name.namespace})),
    }
    return {
        "labels": {marks.APPLYSET_ID: name.id},
        "annotations": {key: value for key, value in notes.items() if value or key != marks.NAMESPACES},
    }


def entries_to_write(parent: Parent, name: SetName) -> list[dict[str, str]]:
    """The inventory as plain data. Raises EnvironmentFault if it has, or will have, no room in one object."""
    entries = inventory.written(parent.inventory)
    later = _UID_BYTES * sum(not entry.uid for entry in parent.inventory.values())
    if len(entries) > inventory.MOST_ENTRIES or len(json.dumps(entries, separators=(",", ":"))) + later > _MOST_BYTES:
        most = inventory.MOST_ENTRIES
        raise EnvironmentFault(f"the set {name} would have more than {most} runs and Secrets; use several sets")
    return entries


def update(
    store: Store, parent: Parent, change: Update, created: frozenset[str] = frozenset()
) -> tuple[Parent, frozenset[str]]:
    """Write a change if it changes anything: the new parent, and the ids of which another apply has an entry now.

    `created` are ids of runs that do not exist yet: if a newer version of the parent has an entry for one, another
    apply creates it. Raises ApiError.
    """
    first, taken = parent, frozenset[str]()
    for number in range(_TRIES + 1):
        wanted = change.of(parent, store.name.namespace)
        if wanted == parent:
            return parent, taken
        try:
            return store.write(wanted), taken
        except ApiError as error:
            if error.reason != "Stale" or number == _TRIES:
                raise
        parent = store.read()
        taken |= frozenset(key for key in created if _is_others(key, parent, first, change))
        change = replace(change, entries={key: each for key, each in change.entries.items() if key not in taken})
    raise AssertionError("the last try returns or raises")


def _is_others(key: str, parent: Parent, first: Parent, change: Update) -> bool:
    """Whether a newer version of the parent has an entry that is neither known nor ours."""
    entry = parent.inventory.get(key)
    return entry is not None and entry not in (first.inventory.get(key), change.entries.get(key))


def group_kind(identity: ObjectId) -> str:
    """`KIND.GROUP`, as parents list kinds."""
    group = group_of(identity.api_version)
    return f"{identity.kind}.{group}" if group else identity.kind


def _words(text: Any) -> frozenset[str]:
    return frozenset(word for word in str(text or "").split(",") if word)
