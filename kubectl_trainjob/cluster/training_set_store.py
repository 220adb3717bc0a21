"""A TrainingSet as the parent of a set: the marks are in its metadata, the inventory in its status."""

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
        entries = inventory.of_entries(value_at(live, ("status", "inventory", "entries")) or ())
        if marks.APPLYSET_ID not in (live["metadata"].get("labels") or {}):
            live = _with_marks(live, parent_marks(Parent(), self.name))
        return parent_in(live, self.name, entries)

    def write(self, parent: Parent) -> Parent:
        """Write the marks, which cover the members, then the inventory."""
        entries = entries_to_write(parent, self.name)
        noted = parent_marks(parent, self.name)
        notes = {marks.NAMESPACES: None, **noted["annotations"]}  # None removes it
        metadata = {"resourceVersion": parent.version, "labels": noted["labels"], "annotations": notes}
        answer = self._api.merge(self.name.parent, {"metadata": metadata})
        head = {"resourceVersion": answer["metadata"]["resourceVersion"]}
        status = {"inventory": {"entries": entries}}
        answer = self._api.merge(self.name.parent, {"metadata": head, "status": status}, part="/status")
        return replace(parent, version=answer["metadata"]["resourceVersion"], uid=answer["metadata"]["uid"])


def _with_marks(live: Body, noted: Body) -> Body:
    """A TrainingSet as it is once it is a parent, unless it has the marks of another tool."""
    metadata = live["metadata"]
    added = {key: {**value, **(metadata.get(key) or {})} for key, value in noted.items()}
    return {**live, "metadata": {**metadata, **added}}
