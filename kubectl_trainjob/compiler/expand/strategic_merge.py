"""Strategic merge: applies a patch to an object by the merge keys of the Go types.

Mirrors k8s.io/apimachinery/pkg/util/strategicpatch StrategicMergePatch (mergeMap, mergeSlice, normalizeElementOrder).
Lists with a merge strategy are merged by key, and their items get the order of the patch. Other lists are replaced.
null deletes. `$patch: delete` and `$patch: replace` work in mappings. `$deleteFromPrimitiveList/KEY` writes the value
of KEY if it has one. Other directives are rejected. Not mirrored: where a set of scalars has duplicates, upstream's
order depends on the capacity of a Go slice; and `$patch` in an entry of a merged list. No patch has one there: Trainer
decodes it into Go structs first (`marshalled`), which keeps unknown keys only in maps such as labels.

`overlay/merge.py` is a separate merge. kustomize has its own table of keys, puts the entries of the patch first, and
reads directives differently.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.kube.facts.types import Field, field
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer

_DIRECTIVE = "$patch"
_DELETION = "$deleteFromPrimitiveList"


def merge(draft: Draft, pointer: Pointer, patch: Any, type_name: str, copied: Cause) -> Draft:
    """Merge `patch` into the struct `type_name` at `pointer`; `copied` is the origin of the patch.

    Each deepest value of the patch is written to the draft, even if the draft already has the same value.
    Raises PatchError.
    """
    directive = patch.get(_DIRECTIVE)
    if _DIRECTIVE in patch:
        if directive not in ("delete", "replace"):
            raise PatchError(say('unknown value "{}" of "$patch"; write delete or replace', directive), copied)
        rest = {key: value for key, value in patch.items() if key != _DIRECTIVE}
        return draft.put(pointer, rest if directive == "replace" else {}, copied=copied)
    for key, value in patch.items():
        cause = (*copied, key)
        name = _target(key, cause) if key.startswith("$") else key
        if not key.startswith(_DELETION) or name in draft.get(*pointer):
            draft = _merge_entry(draft, (*pointer, name), value, type_name, cause)
    return draft


def _target(key: str, cause: Cause) -> str:
    """The entry that a key with "$" writes."""
    prefix, slash, name = key.partition("/")
    is_deletion = prefix == _DELETION and slash == "/"
    if key == "$retainKeys" or (key.startswith(("$setElementOrder", _DELETION)) and not is_deletion):
        raise PatchError(say('the directive "{}" is not supported; remove it', key), cause)
    return (name or key) if is_deletion else key


def _merge_entry(draft: Draft, pointer: Pointer, value: Any, type_name: str, copied: Cause) -> Draft:
    if value is None:
        return draft.drop(pointer, (copied,))
    old = draft.get(*pointer)
    if isinstance(old, dict) and isinstance(value, dict):
        # The entries of a Go map have no struct to look fields up in.
        return merge(draft, pointer, value, _field(type_name, copied).of, copied)
    if isinstance(old, list) and isinstance(value, list):
        known = _field(type_name, copied)
        if not known.strategy.startswith("merge"):
            return draft.put(pointer, value, copied=copied)
        return _merge_list(draft, pointer, value, known, copied)
    new = _without_directives(value)
    return draft.drop(pointer, (copied,)) if new is None else draft.put(pointer, new, copied=copied)


def _field(type_name: str, copied: Cause) -> Field:
    name = str(copied[-1])
    known = field(type_name, name) if type_name else None
    if known is None:
        raise PatchError(say('{} has no field "{}"', type_name or say("a map of values"), name), copied)
    return known


def _without_directives(value: Any) -> Any:
    """A value that is new in the object, without nulls and what has $patch; None if nothing remains."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return None
        entries = {key: _without_directives(entry) for key, entry in value.items()}
        return {key: entry for key, entry in entries.items() if entry is not None}
    if isinstance(value, list):
        return [_without_directives(item) for item in value]
    return value


def _merge_list(draft: Draft, pointer: Pointer, patch: list[Any], known: Field, copied: Cause) -> Draft:
    old = draft.get(*pointer)
    kinds = {type(item) for item in (*old, *patch)}
    if not kinds:
        return draft
    if len(kinds) > 1 or list in kinds:
        raise PatchError(
            say("a merged list has entries of several types; write only mappings, or only scalars of one type"), copied
        )
    if kinds != {dict}:
        return _merge_scalars(draft, pointer, patch, copied)
    if not known.merge_key:
        raise PatchError(say("a list of mappings without a merge key cannot be merged"), copied)
    return _merge_mappings(draft, pointer, patch, known, copied)


def _merge_scalars(draft: Draft, pointer: Pointer, patch: list[Any], copied: Cause) -> Draft:
    old = [_ident(value) for value in draft.get(*pointer)]
    server = _places(old)
    if len(server) < len(old):
        draft = draft.arrange(pointer, list(server.values()))
        server = _places(server)
    places = dict(server)
    for index, value in enumerate(patch):
        position = places.setdefault(_ident(value), len(places))
        draft = draft.put((*pointer, position), value, copied=(*copied, index))
    return _arrange(draft, pointer, _order(list(places), [_ident(value) for value in patch], server))


def _merge_mappings(draft: Draft, pointer: Pointer, patch: list[Any], known: Field, copied: Cause) -> Draft:
    assert known.elem is not None
    key_of = partial(_key_of, known.merge_key, copied)
    keys = [_ident(item.get(known.merge_key, _MISSING)) for item in draft.get(*pointer)]
    server = _places(keys)
    places = dict(server)
    for index, item in enumerate(patch):
        cause = (*copied, index)
        key = _ident(key_of(item))
        if key not in places:
            places[key] = len(keys)
            keys.append(key)
            draft = draft.put((*pointer, places[key]), item, copied=cause)
        else:
            # That the patch names the entry by its key writes nothing.
            rest = {name: value for name, value in item.items() if name != known.merge_key}
            draft = merge(draft, (*pointer, places[key]), rest, known.elem.of, cause)
    for item in draft.get(*pointer):
        key_of(item)
    return _arrange(draft, pointer, _order(keys, [_ident(key_of(item)) for item in patch], server))


_MISSING = object()


def _key_of(merge_key: str, copied: Cause, item: dict[str, Any]) -> Any:
    if merge_key not in item:
        raise PatchError(say('an entry has no "{}", the merge key of the list; add it', merge_key), copied)
    return item[merge_key]


def _arrange(draft: Draft, pointer: Pointer, order: list[int]) -> Draft:
    return draft if order == list(range(len(draft.get(*pointer)))) else draft.arrange(pointer, order)


_Ident = tuple[type, Any]
"""Equal for equal values of Go: a number is never a truth value."""


def _ident(value: Any) -> _Ident:
    return type(value), json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _places(idents: Iterable[_Ident]) -> dict[_Ident, int]:
    """The first place of each value."""
    places: dict[_Ident, int] = {}
    for place, ident in enumerate(idents):
        places.setdefault(ident, place)
    return places


def _order(keys: Sequence[_Ident], patch: Sequence[_Ident], server: Mapping[_Ident, int]) -> list[int]:
    """The order of the merged entries: the patch's among themselves, the others as before, woven by the old order."""
    in_patch = _places(patch)
    specified = sorted((i for i, key in enumerate(keys) if key in in_patch), key=lambda i: in_patch[keys[i]])
    others = deque(sorted((i for i, key in enumerate(keys) if key not in in_patch), key=lambda i: server[keys[i]]))
    order: list[int] = []
    for index in specified:
        old = server.get(keys[index], -1)
        while others and old >= 0 and server[keys[others[0]]] < old:
            order.append(others.popleft())
        order.append(index)
    return [*order, *others]
