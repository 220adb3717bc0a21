"""The existing members of a set, by label, for the kinds and namespaces of the build and the parent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import entry_id
from kubectl_trainjob.cluster.parent import Parent, group_kind
from kubectl_trainjob.cluster.resources import ApiResource
from kubectl_trainjob.model.stages import Body, ObjectId, identity_of

Members = dict[ObjectId, Body]


def members(api: Api, set_id: str, parent: Parent, built: Iterable[ObjectId], home: str) -> Members:
    """All live members. Secrets are found by name in the inventory, because no one needs the right to list them."""
    ids = list(built)
    spaces = sorted({home, *parent.namespaces, *(each.namespace for each in ids if each.namespace)})
    versions = {group_kind(each): each.api_version for each in ids}
    known = {entry_id(each): each for each in ids}
    found: Members = {}
    for name in sorted({*versions, *parent.kinds} - {"Secret"}):
        resource = _resource(api, name, versions.get(name, ""))
        if resource:
            for live in _list_members(api, resource, spaces, f"{marks.PART_OF}={set_id}"):
                found |= _as_built(api, live, known)
    for identity in _secrets(parent):
        live_secret = api.get(identity, is_secret=True)
        if live_secret and marks.label(live_secret, marks.PART_OF) == set_id:
            found[identity] = {**live_secret, "apiVersion": "v1", "kind": "Secret"}
    return found


def _as_built(api: Api, live: Body, known: Mapping[str, ObjectId]) -> Members:
    """An object that exists, in the version of the build: a list has all objects of a kind in one version."""
    listed = identity_of(live)
    built = known.get(entry_id(listed), listed)
    found = live if built == listed else api.get(built)
    return {built: found} if found else {}


def _list_members(api: Api, resource: ApiResource, spaces: list[str], selector: str) -> Iterator[Body]:
    for namespace in spaces if resource.is_namespaced else [""]:
        yield from api.list(resource, namespace, selector)


def _resource(api: Api, name: str, version: str) -> ApiResource | None:
    """How the server serves `KIND.GROUP`; None if its definition was deleted, and its objects with it."""
    kind, _, group = name.partition(".")
    version = version or api.version_of(group, kind)
    if not version or not api.has_kind(version, kind):
        return None
    return api.resource(ObjectId(version, kind, "", ""))


def _secrets(parent: Parent) -> Iterator[ObjectId]:
    for key in sorted(parent.inventory):
        namespace, name, group, kind = key.split("_")
        if (group, kind) == ("", "Secret"):
            identity = ObjectId("v1", "Secret", namespace, name)
            assert entry_id(identity) == key
            yield identity


def comes_later(error: ApiError) -> bool:
    """Whether a Namespace, a definition or a runtime is missing, which the same apply may create."""
    return error.reason == "NotFound" or "must be created before the TrainJob" in error.message
