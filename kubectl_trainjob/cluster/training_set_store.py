"""A TrainingSet as the parent of a set: the marks are in its metadata, the inventory in its status.

The status also has the kinds and namespaces of the marks, because `kubectl replace` removes the marks.
"""

from __future__ import annotations

from dataclasses import replace

from kubectl_trainjob.cluster import inventory, marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.parent import Parent, entries_to_write, parent_in, parent_marks
from kubectl_trainjob.cluster.result import set_named
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body


class TrainingSetStore:
    """A `parent.Store`. Raises EnvironmentFault if it does not exist, or has the marks of another set."""

    def __init__(self, api: Api, namespace: str, name: str) -> None:
        self._api = api
        self.name = set_named("TrainingSet", namespace, name)

    def read(self) -> Parent:
        """The parent as it is now; before its first apply, the TrainingSet has no marks."""
        live = self._api.get(self.name.parent)
        if live is None:
            raise EnvironmentFault(
                f"TrainingSet {self.name.namespace}/{self.name.name} does not exist; see: kubectl get trainingsets"
            )
        status = value_at(live, ("status", "inventory")) or {}
        kinds, namespaces = (frozenset(status.get(name) or ()) for name in ("kinds", "namespaces"))
        found = {name for key in ("labels", "annotations") for name in live["metadata"].get(key) or ()}
        has_marks = {marks.APPLYSET_ID, marks.TOOLING} <= found
        marked = live if has_marks else _with_marks(live, parent_marks(Parent(), self.name))
        parent = parent_in(marked, self.name, inventory.of_entries(status.get("entries") or ()))
        is_complete = has_marks and (parent.kinds, parent.namespaces) == (kinds, namespaces)
        every = parent.kinds | kinds, parent.namespaces | namespaces
        return replace(parent, kinds=every[0], namespaces=every[1], is_complete=is_complete)

    def write(self, parent: Parent) -> Parent:
        """Write the marks, which cover the members, then the inventory."""
        entries = entries_to_write(parent, self.name)
        noted = parent_marks(parent, self.name)
        notes = {marks.NAMESPACES: None, **noted["annotations"]}  # None removes it
        metadata = {"resourceVersion": parent.version, "labels": noted["labels"], "annotations": notes}
        answer = self._api.merge(self.name.parent, {"metadata": metadata})
        head = {"resourceVersion": answer["metadata"]["resourceVersion"]}
        noted_too = {"kinds": sorted(parent.kinds), "namespaces": sorted(parent.namespaces)}
        status = {"inventory": {**noted_too, "entries": entries}}
        answer = self._api.merge(self.name.parent, {"metadata": head, "status": status}, part="/status")
        return replace(parent, version=answer["metadata"]["resourceVersion"], uid=answer["metadata"]["uid"])


def _with_marks(live: Body, noted: Body) -> Body:
    """A TrainingSet as it is once it is a parent; the marks that it has stay."""
    metadata = live["metadata"]
    added = {key: {**value, **(metadata.get(key) or {})} for key, value in noted.items()}
    return {**live, "metadata": {**metadata, **added}}
