"""Where the parents of sets are kept: in ConfigMaps, and in TrainingSets, whose status has the inventory.

The status also has the kinds and namespaces of the marks, because `kubectl replace` removes the marks.
"""

from __future__ import annotations

import json
from dataclasses import replace

from kubectl_trainjob.cluster import inventory, marks
from kubectl_trainjob.cluster.api import MANAGER, Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import Inventory
from kubectl_trainjob.cluster.parent import ForeignParentError, Parent, Store, entries_to_write, parent_in, parent_marks
from kubectl_trainjob.cluster.result import set_named
from kubectl_trainjob.kube.facts.kinds import means_kind
from kubectl_trainjob.kube.facts.validation import dns_1123_subdomain
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_KINDS = ("ConfigMap", "TrainingSet")


class ConfigMapStore:
    """A parent as a ConfigMap. Raises EnvironmentFault for one that is not ours."""

    def __init__(self, api: Api, namespace: str, name: str) -> None:
        self._api = api
        self._id = ObjectId("v1", "ConfigMap", namespace, name)
        self.name = set_named("ConfigMap", namespace, name)
        self.is_new = False
        """Whether it did not exist when it was read first."""

    def read(self) -> Parent:
        """The parent as it is now; an empty one where there is none."""
        live = self._api.get(self._id)
        self.is_new = self.is_new or live is None
        return parent_in(live, self.name, self._inventory(live)) if live else Parent()

    def write(self, parent: Parent) -> Parent:
        """Apply the ConfigMap."""
        text = json.dumps({"entries": entries_to_write(parent, self.name)}, separators=(",", ":"))
        metadata = {
            "name": self._id.name,
            "namespace": self._id.namespace,
            "resourceVersion": parent.version,
            **parent_marks(parent, self.name),
        }
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"inventory": text}}
        try:
            answer = self._api.apply(body)
        except ApiError as error:
            raise self._with_advice(error) if error.reason == "Conflict" else error from None
        return replace(parent, version=answer["metadata"]["resourceVersion"], uid=answer["metadata"]["uid"])

    def _with_advice(self, error: ApiError) -> ApiError:
        """The error for fields that another manager has: who it is, and the command that ends its ownership."""
        live = self._api.get(self._id) or {"metadata": {}}
        managers = [each.get("manager") for each in live["metadata"].get("managedFields") or ()]
        others = [number for number, name in enumerate(managers) if name != MANAGER]
        patch = json.dumps([{"op": "remove", "path": f"/metadata/managedFields/{number}"} for number in others[::-1]])
        cause = f"the parent of the set was changed by another field manager: {error.message}"
        command = f"kubectl patch configmap {self._id.name} -n {self._id.namespace} --type=json -p '{patch}'"
        return ApiError("Conflict", f"{cause}; to apply again, first run: {command}", error.fields)

    def _inventory(self, live: Body) -> Inventory:
        try:
            return inventory.parsed((live.get("data") or {}).get("inventory", ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            where = f"ConfigMap {self._id.namespace}/{self._id.name}"
            raise EnvironmentFault(f"the inventory of {where} is not readable; restore it, or delete it") from None


class TrainingSetStore:
    """A `parent.Store`. Raises EnvironmentFault if it does not exist, or has the marks of another set."""

    def __init__(self, api: Api, namespace: str, name: str) -> None:
        self._api = api
        self.name = set_named("TrainingSet", namespace, name)
        self.has_old_definition = False
        """Whether the server drops the kinds and namespaces in the status; known after `read`."""

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
        is_complete = has_marks and ((parent.kinds, parent.namespaces) == (kinds, namespaces) or self._drops(status))
        every = parent.kinds | kinds, parent.namespaces | namespaces
        return replace(parent, kinds=every[0], namespaces=every[1], is_complete=is_complete)

    def _drops(self, known: Body) -> bool:
        """Whether the definition in the cluster is older than `namespaces` in an inventory; a dry run says so."""
        if "namespaces" not in known:
            patch: Body = {"status": {"inventory": {"namespaces": []}}}
            try:
                answer = self._api.merge(self.name.parent, patch, part="/status", dry_run=True)
            except ApiError as error:
                if error.reason == "Forbidden":  # a reader, who writes nothing, needs no answer
                    return False
                raise
            self.has_old_definition = "namespaces" not in (value_at(answer, ("status", "inventory")) or {})
        return self.has_old_definition

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


def kind_and_name(text: str) -> tuple[str, str]:
    """The kind of a parent, and its name. Raises ValueError for other kinds, and for a name that no object can have."""
    word, _, name = text.rpartition("/")
    kind = next((each for each in _KINDS if means_kind(word.partition(".")[0], each)), "" if word else _KINDS[0])
    if not kind or not name:
        raise ValueError(f"{text}: the parent of a set is a ConfigMap or a TrainingSet; write NAME or trainingset/NAME")
    if error := dns_1123_subdomain(name):
        raise ValueError(f'the name of a set "{name}" {error}')
    return kind, name


def inherited_of(store: Store) -> Inventory:
    """The inventory of a set that is taken over. Raises EnvironmentFault without it: what is over would run again."""
    try:
        parent = store.read()
    except ForeignParentError as error:
        raise ForeignParentError(error.problem, "correct the name of the set to take over") from None
    if not parent.uid:
        raise EnvironmentFault(
            f"{store.name} does not exist in namespace {store.name.namespace}, so it has no objects to take over; "
            "correct the name, or remove it if they are already here"
        )
    return parent.inventory


def store_of(api: Api, namespace: str, text: str) -> Store:
    """The store of a parent. Raises EnvironmentFault if the cluster has no TrainingSets."""
    kind, name = kind_and_name(text)
    if kind == "ConfigMap":
        return ConfigMapStore(api, namespace, name)
    store = TrainingSetStore(api, namespace, name)
    if not api.has_kind(store.name.parent.api_version, kind):
        raise EnvironmentFault("the cluster does not know TrainingSets; install them with integrations controller")
    return store
