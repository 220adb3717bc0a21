"""`namePrefix`, `nameSuffix` and `nameHash`, and the references to objects that overlays renamed or moved.

Mirrors kustomize's api/filters/{prefix,suffix,nameref}, api/internal/builtins/{Prefix,Suffix}Transformer.go and
api/resource/resource.go (PrefixesSuffixesEquals): a reference follows the object that had this name
before, if its namespace allows that. Of several objects, it follows the one with the same overlays. Other than in
kustomize, a reference with a kind follows objects of that kind only. With `nameHash` a changed TrainJob is a new run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.overlay.references import Fields, Reference, Target, fields_of
from kubectl_trainjob.compiler.overlay.select import effective_namespace
from kubectl_trainjob.kube.facts.kinds import CLUSTER_SCOPED, group_of
from kubectl_trainjob.kube.facts.run_hash import RUN_ANNOTATION, run_hash
from kubectl_trainjob.model.draft import Cause, Draft, Write
from kubectl_trainjob.model.edited_object import OBJECT, ObjectEdit, edited_object
from kubectl_trainjob.model.source import Pointer, mapping_at, value_at
from kubectl_trainjob.model.stages import Body, Manifest, ObjectId

_KEPT = ("CustomResourceDefinition", "Namespace")
_NAME: Pointer = ("metadata", "name")


def add_affix(draft: Draft, kind: str, cause: Cause, *, prefix: str = "", suffix: str = "") -> Draft:
    """Add `prefix` and `suffix` to one object's name, unless the name of its kind is fixed."""
    name = draft.get(*_NAME)
    if not prefix + suffix or not name or not isinstance(name, str) or kind in _KEPT or _is_api_service(draft, kind):
        return draft
    return draft.put(_NAME, prefix + name + suffix, because=((OBJECT, *_NAME), cause))


def _is_api_service(draft: Draft, kind: str) -> bool:
    return kind == "APIService" and group_of(str(draft.get("apiVersion"))) == "apiregistration.k8s.io"


class Rename(NamedTuple):
    """One former identity of an object, the latest one, and the line to edit to change it."""

    group: str
    kind: str
    old: ObjectId
    now: ObjectId
    cause: Cause


class Ambiguity(NamedTuple):
    """A name, at `pointer`, that more than one object once had."""

    pointer: Pointer
    name: str
    rivals: tuple[ObjectId, ...]


Affixes = tuple[tuple[str, ...], tuple[str, ...]]
"""The prefixes and the suffixes of a name, in the order in which overlays added them."""


class Renames:
    """All renames of a tree of overlays, by group, kind and former name; `affixes` are those of the objects."""

    def __init__(self, renames: Iterable[Rename], affixes: Mapping[ObjectId, Affixes]) -> None:
        self._by_name: dict[tuple[str, str, str], list[Rename]] = {}
        self._affixes = affixes
        for rename in renames:
            self._by_name.setdefault((rename.group, rename.kind, rename.old.name), []).append(rename)

    def once(self, target: Target, name: str) -> list[Rename]:
        """The renames of the objects of a kind that were once called `name`."""
        return self._by_name.get((*target, name), [])

    def affixes(self, identity: ObjectId) -> Affixes:
        """The prefixes and the suffixes of an object's name, in order."""
        return self._affixes.get(identity, ((), ()))


def follow_names(draft: Draft, kind: str, api_version: str, renames: Renames) -> Draft:
    """One object with its references to renamed objects updated; ambiguous ones stay as they are."""
    writes: list[Write] = []
    for pointer, value, found in _references(draft.value, kind, api_version, renames):
        if isinstance(found, Rename):
            writes += _writes(pointer, value, found)
    return draft.put_each(writes) if writes else draft


def ambiguous_names(body: Mapping[str, Any], kind: str, api_version: str, renames: Renames) -> Iterator[Ambiguity]:
    """The references of one object that could mean several renamed objects; kustomize fails there."""
    for _, _, found in _references(body, kind, api_version, renames):
        if isinstance(found, Ambiguity):
            yield found


def _writes(pointer: Pointer, value: Any, found: Rename) -> Iterator[Write]:
    now, because = found.now, (found.cause,)
    if not isinstance(value, dict):
        if value != now.name:
            yield pointer, now.name, None, because
        return
    if value.get("name") != now.name:
        yield (*pointer, "name"), now.name, None, because
    if now.namespace and value.get("namespace") != now.namespace:
        yield (*pointer, "namespace"), now.namespace, None, because


class _Referrer(NamedTuple):
    """The object whose references are looked up, and all renames."""

    identity: ObjectId
    renames: Renames


class _Name(NamedTuple):
    """A field that names an object: `value` is the name or a mapping with the name, `holder` the mapping around it."""

    pointer: Pointer
    value: Any
    holder: Mapping[str, Any]
    reference: Reference


def _references(
    body: Mapping[str, Any], kind: str, api_version: str, renames: Renames
) -> Iterator[tuple[Pointer, Any, Rename | Ambiguity | None]]:
    """Each field that names another object: where, its value, and the rename of that object."""
    fields = fields_of(group_of(api_version), kind)
    if not fields:
        return
    named = mapping_at(body, "metadata")
    identity = ObjectId(api_version, kind, str(named.get("namespace") or ""), str(named.get("name") or ""))
    referrer = _Referrer(identity, renames)
    names: list[_Name] = []
    _collect(names, body, fields, (), {})
    for name in names:
        yield name.pointer, name.value, _search(name, referrer)


def _collect(
    names: list[_Name], value: Any, below: Fields | Reference, pointer: Pointer, holder: Mapping[str, Any]
) -> None:
    """Add the texts and mappings to which the paths of `below` lead; a list, because generators cost more here."""
    if isinstance(value, dict):
        if isinstance(below, Reference):
            names.append(_Name(pointer, value, holder, below))
            return
        for key, entry in value.items():
            if key in below:
                _collect(names, entry, below[key], (*pointer, key), value)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _collect(names, item, below, (*pointer, index), holder)
    elif isinstance(below, Reference) and isinstance(value, str):
        names.append(_Name(pointer, value, holder, below))


def _search(field: _Name, referrer: _Referrer) -> Rename | Ambiguity | None:
    holder = field.value if isinstance(field.value, dict) else field.holder
    name = holder.get("name") if holder is field.value else field.value
    namespace = holder.get("namespace") if holder is field.value else None
    if isinstance(name, str):
        for target in field.reference.targets:
            if not field.reference.is_typed or _is_of(holder, target, field.reference.usual_kind):
                found = _in_namespace(referrer.renames.once(target, name), namespace)
                seen = [each for each in found if _is_seen(each.now, referrer.identity, namespace)]
                if seen:
                    return seen[0] if len(seen) == 1 else _choose(seen, field, referrer)
    return None


def _is_of(holder: Mapping[str, Any], target: Target, usual_kind: str) -> bool:
    group, kind = holder.get("apiGroup"), holder.get("kind") or usual_kind
    return kind in ("", target[1]) and (not group or group == target[0])


def _in_namespace(found: list[Rename], namespace: str | None) -> list[Rename]:
    """The objects that were in the namespace of the reference, or else those that are."""
    if not namespace:
        return found
    former = [each for each in found if effective_namespace(each.old) == namespace]
    return former or [each for each in found if effective_namespace(each.now) == namespace]


def _is_seen(now: ObjectId, referrer: ObjectId, namespace: str | None) -> bool:
    """Whether the reference can be to the object: both have one namespace, or it names the object's."""
    if now.kind in CLUSTER_SCOPED or referrer.kind in CLUSTER_SCOPED:
        return True
    return effective_namespace(now) == effective_namespace(referrer) or bool(namespace and now.namespace == namespace)


def _choose(seen: list[Rename], field: _Name, referrer: _Referrer) -> Rename | Ambiguity | None:
    """Of several the one that went through the same overlays as the referrer, if that makes a difference."""
    objects = {each.now: each for each in seen}
    if len(objects) > 1:
        objects = _of_the_same_overlays(objects, referrer)
    names = {(now.name, now.namespace if isinstance(field.value, dict) else "") for now in objects}
    if len(names) > 1:
        return Ambiguity(field.pointer, seen[0].old.name, tuple(objects))
    return next(iter(objects.values()), None)


def _of_the_same_overlays(objects: dict[ObjectId, Rename], referrer: _Referrer) -> dict[ObjectId, Rename]:
    """Objects whose affixes end like the referrer's; of several, those that also have affixes only if it has some."""
    mine = referrer.renames.affixes(referrer.identity)
    theirs = {now: referrer.renames.affixes(now) for now in objects}
    near = {now: each for now, each in objects.items() if all(map(_end_alike, mine, theirs[now]))}
    if len(near) <= 1:
        return near
    return {now: each for now, each in near.items() if [*map(bool, mine)] == [*map(bool, theirs[now])]}


def _end_alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the shorter list is the end of the longer."""
    length = min(len(one), len(other))
    return one[len(one) - length :] == other[len(other) - length :]


_LENGTH = 10


def with_hash(job: Manifest, content: Body) -> Manifest:
    """The TrainJob with "-" and ten hexadecimal digits after its name, a hash of `content`, which runs for it."""
    name_hash = job.name_hash
    if name_hash is None or not job.id.name:
        return job
    run = value_at(job.body, ("metadata", "annotations", RUN_ANNOTATION))
    name = f"{job.id.name}-{run_hash(content, run if isinstance(run, str) else '')[:_LENGTH]}"
    cause = ("overlay", *name_hash.pointer)
    because = (OBJECT, "metadata", "name"), cause
    write = partial(Draft.put, pointer=("metadata", "name"), value=name, because=because)
    edit = ObjectEdit("overlay nameHash", write, cause)
    written = edit.write(Draft(job.body))
    assert written is not None
    return edited_object(job, written.value, {"overlay": name_hash.source}, (edit,))
