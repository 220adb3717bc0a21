"""Strategic merge patches as kustomize applies them.

Mirrors kyaml/yaml/merge2 and kyaml/yaml/walk with lists that prepend (api/filters/patchstrategicmerge, and
Resource.ApplySmPatch), kustomize 5.7 and 5.8. null deletes, `$patch` directs, a list is merged by the keys that
`kube.facts.merge_keys` knows, else replaced. The entries of a patch come before the rest of a merged list. Where
entries have several keys, old entries stay in their order.

Other than kustomize on purpose: lists of Trainer's and JobSet's kinds are merged by key. A port without a protocol is a
TCP port. Values that a patch does not name stay, also duplicate entries of a list. An error is raised where kustomize
ignores an entry or prints its directives: an entry without its key, two entries of one key, `$patch: replace` beside
other fields of an entry.

`expand/strategic_merge.py` is another merge because it mirrors apimachinery. Keys and strategies come from the Go
types, and `$patch` works in mappings only. A merged list keeps the old order with the patch's items between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.compiler.overlay import merge_entries
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts.merge_keys import Merging, merging_of
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.message import Message, say

_FORMS: dict[type, str] = {dict: "a mapping", list: "a list"}
_TYPE = ("apiVersion", "kind")
_NAMES = ("name", "namespace")
_ITEM = 2  # steps for an item of a list that is merged


def merge_patch(
    draft: Draft, patch: Mapping[str, Any], api_version: str, kind: str, cause: Cause, steps: Steps
) -> Draft | None:
    """Merge `patch` into an object of the kind; None if the patch deletes it. `cause` is where the patch is.

    Each deepest value of the patch is written, even if the object already has the same value. apiVersion,
    kind, metadata.name and metadata.namespace stay the object's. Raises PatchError and StepsError.
    """
    if merge_entries.object_directive_of(patch, cause) == "delete":
        return None
    merging, merge = merging_of(api_version, kind), _Merge(steps)
    rest = {key: value for key, value in patch.items() if key not in _TYPE and key != "metadata"}
    draft = merge.entries(draft, rest, merging, cause)
    if "metadata" not in patch:
        return draft
    old, below = draft.entry("metadata"), merging and merging.below("metadata")
    new = merge.metadata(old, patch["metadata"], below, (*cause, "metadata"))
    return draft if new is old else draft.with_entries({"metadata": new})


def _clear(draft: Draft, kept: tuple[str, ...], cause: Cause) -> Draft:
    return draft.with_entries({key: None for key in draft.value or () if key not in kept}, cause)


class _Merge:
    """The merge of one patch; what is counted are the items of lists that are merged."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def metadata(self, old: Draft, patch: Any, merging: Merging | None, cause: Cause) -> Draft:
        """Merge an object's metadata, whose names stay."""
        _require_alike(old.value or {}, {} if patch is None else patch, cause)
        if patch is None:
            return _clear(old, _NAMES, cause)
        directive = merge_entries.directive_of(patch, cause)
        if directive in ("delete", "replace"):
            old = _clear(old, _NAMES, cause)
        if directive == "delete":
            return old
        return self.entries(old, {key: value for key, value in patch.items() if key not in _NAMES}, merging, cause)

    def entries(self, old: Draft, patch: Mapping[str, Any], merging: Merging | None, cause: Cause) -> Draft:
        """Merge a mapping's entries."""
        changed: dict[str, Draft | None] = {}
        for key, value in patch.items():
            if key != merge_entries.DIRECTIVE:
                merge_entries.require_known(key, merging, cause)
                entry = old.entry(key)
                new = self._value(entry, value, merging and merging.below(key), (*cause, key))
                if new is not entry:
                    changed[key] = new
        return old.with_entries(changed, cause)

    def _value(self, old: Draft, value: Any, merging: Merging | None, cause: Cause) -> Draft | None:
        """Merge an entry, a new one if `old` holds None; None removes it."""
        if value is None:
            return None
        if old.value is None:
            return _new(old, value, merging, cause)
        _require_alike(old.value, value, cause)
        if isinstance(value, dict):
            return self._mapping(old, value, merging, cause)
        if isinstance(value, list):
            return self._list(old, value, merging, cause)
        return old.put((), value, copied=cause)

    def _mapping(self, old: Draft, patch: dict[str, Any], merging: Merging | None, cause: Cause) -> Draft | None:
        directive = merge_entries.directive_of(patch, cause)
        if directive == "delete":
            return None
        if directive == "replace":
            return _new(old, patch, merging, cause)
        return self.entries(old, patch, merging or _embedded_merging(old.value) or _embedded_merging(patch), cause)

    def _list(self, old: Draft, patch: list[Any], merging: Merging | None, cause: Cause) -> Draft | None:
        if merging is None or merging.keys is None:
            return _new(old, patch, merging, cause)
        directive = merge_entries.list_directive_of(patch, cause)
        if directive == "delete":
            return None
        if directive == "replace":
            return _new(old, patch, merging, cause)
        self._steps.take(_ITEM * len(old.value), old)
        if not merging.keys:
            return _with_scalars(old, patch, cause)
        return self._items(old, patch, merging, cause)

    def _items(self, old: Draft, patch: list[Any], merging: Merging, cause: Cause) -> Draft:
        """The patch's entries, then the rest; if entries have several keys, only new entries come first."""
        keys = merging.keys or ()
        places, size = merge_entries.places_of(old.value, keys), len(old.value)
        stay = merge_entries.have_several_keys((*old.value, *patch), keys)
        rest: dict[int, Draft] = {place: old.entry(place) for place in range(size)}
        specified: list[Draft | None] = []
        for index, key in merge_entries.key_entries(patch, keys, cause):
            item, here, where = patch[index], (*cause, index), places.get(key, [])
            if merge_entries.item_directive_of(item, here) == "delete":
                for place in where:
                    del rest[place]
            elif not where:
                specified.append(_new(old.entry(size), item, merging, here))
            else:
                _require_one(where, key, here)
                old_item = rest[where[0]]
                said = {key: value for key, value in item.items() if key not in keys or old_item.get(key) != value}
                merged = self.entries(old_item, said, merging, here)
                if stay:
                    rest[where[0]] = merged
                else:
                    del rest[where[0]]
                    specified.append(merged)
        return old.with_items([*specified, *rest.values()])


def _with_scalars(old: Draft, patch: list[Any], cause: Cause) -> Draft:
    rest: dict[str, Draft] = {}
    for place, value in enumerate(old.value):
        rest.setdefault(merge_entries.text_of(value), old.entry(place))
    specified = []
    for index, text in merge_entries.texts_of(patch, cause):
        same = rest.pop(text, old.entry(len(old.value)))
        specified.append(same.put((), patch[index], copied=(*cause, index)))
    return old.with_items([*specified, *rest.values()])


def _new(place: Draft, value: Any, merging: Merging | None, cause: Cause) -> Draft | None:
    """A value of the patch as it is put into the object: without nulls in mappings, without directives."""
    return _without_directives(place.put((), value, copied=cause), merging, cause)


def _without_directives(new: Draft, merging: Merging | None, cause: Cause) -> Draft | None:
    if isinstance(new.value, dict):
        return _tidied_mapping(new, merging, cause)
    if isinstance(new.value, list) and merging is not None:
        return _tidied_list(new, merging, cause)
    return new


def _tidied_mapping(new: Draft, merging: Merging | None, cause: Cause) -> Draft | None:
    if merge_entries.directive_of(new.value, cause) == "delete":
        return None
    merging = merging or _embedded_merging(new.value)
    changed: dict[str, Draft | None] = {}
    for key, value in new.value.items():
        merge_entries.require_known(key, merging, cause)
        if value is None or key == merge_entries.DIRECTIVE:
            changed[key] = None
        elif isinstance(value, dict | list):
            entry = new.entry(key)
            tidied = _without_directives(entry, merging and merging.below(key), (*cause, key))
            if tidied is not entry:
                changed[key] = tidied
    return new.with_entries(changed)


def _tidied_list(new: Draft, merging: Merging, cause: Cause) -> Draft | None:
    value = new.value
    if merging.keys is None:
        merge_entries.require_no_directives(value, cause)
        return new
    if merge_entries.list_directive_of(value, cause) == "delete":
        return None
    if not merging.keys:
        return _keep_items(new, [new.entry(index) for index, _ in merge_entries.texts_of(value, cause)])
    items = []
    for index, _ in merge_entries.key_entries(value, merging.keys, cause):
        here = (*cause, index)
        if merge_entries.item_directive_of(value[index], here) != "delete":
            items.append(_tidied_mapping(new.entry(index), merging, here))
    return _keep_items(new, items)


def _keep_items(new: Draft, items: Sequence[Draft | None]) -> Draft:
    """The list of the items; itself if none was omitted or changed."""
    if len(items) == len(new.value) and all(
        item and item.value is value for item, value in zip(items, new.value, strict=True)
    ):
        return new
    return new.with_items(items)


def _embedded_merging(value: Mapping[str, Any]) -> Merging | None:
    """How an object inside one of an unknown kind is merged."""
    api_version, kind = value.get("apiVersion"), value.get("kind")
    return merging_of(api_version, kind) if isinstance(api_version, str) and isinstance(kind, str) else None


def _require_alike(old: Any, value: Any, cause: Cause) -> None:
    one = _FORMS.get(type(old), "a scalar")
    other = _FORMS.get(type(value), "a scalar")
    if one != other:
        raise PatchError(
            say("{} cannot be merged into {}; write {}, as in the object", Message(other), Message(one), Message(one)),
            cause,
        )


def _require_one(where: list[int], key: merge_entries.Key, cause: Cause) -> None:
    if len(where) > 1:
        raise PatchError(
            say("the list in the object has {} {} times; keep one of them", merge_entries.shown(key), len(where)), cause
        )
