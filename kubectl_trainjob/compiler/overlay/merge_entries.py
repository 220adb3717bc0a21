"""Entries of a merge patch: `$patch`, and the keys that identify the entries of a merged list.

Mirrors kyaml/yaml/merge2/smpdirective.go and kyaml/yaml/walk/associative_sequence.go: scalars are compared by their
text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.kube.facts.merge_keys import Merging
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.message import Message, joined, say

DIRECTIVE = "$patch"
_DIRECTIVES = ("delete", "replace", "merge")
_OF_KUBECTL = ("$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/")


def directive_of(patch: Mapping[str, Any], cause: Cause) -> str:
    """What a mapping directs: delete, replace, merge or "". Raises PatchError for another word."""
    if DIRECTIVE not in patch:
        return ""
    directive = patch[DIRECTIVE]
    if directive not in _DIRECTIVES:
        message = say('unknown value "{}" of "$patch"; write delete, replace or merge', directive)
        raise PatchError(message, (*cause, DIRECTIVE))
    return str(directive)


def object_directive_of(patch: Mapping[str, Any], cause: Cause) -> str:
    """The directive of a patch for the whole object. Raises PatchError for replace, which does nothing in kustomize."""
    directive = directive_of(patch, cause)
    if directive == "replace":
        message = say('"$patch: replace" has no effect on a whole object; write it below, for example in spec')
        raise PatchError(message, (*cause, DIRECTIVE))
    return directive


def item_directive_of(item: Mapping[str, Any], cause: Cause) -> str:
    """The directive of a list's entry for itself. Raises PatchError for replace, which does nothing in kustomize."""
    directive = directive_of(item, cause)
    if directive == "replace":
        message = say(
            '"$patch: replace" has no effect next to other fields of an entry; to replace the list, write '
            '"- $patch: replace" as a separate entry'
        )
        raise PatchError(message, (*cause, DIRECTIVE))
    return directive


def is_directive(item: Any) -> bool:
    """Whether a list's entry is only a directive for the list."""
    return isinstance(item, dict) and item.keys() == {DIRECTIVE}


def list_directive_of(patch: list[Any], cause: Cause) -> str:
    """The directive of a merged list, in a separate entry. Raises PatchError for a second one."""
    found = [index for index, item in enumerate(patch) if is_directive(item)]
    if len(found) > 1:
        raise PatchError(say('the list has a duplicate "$patch"; remove one'), (*cause, found[1]))
    return directive_of(patch[found[0]], (*cause, found[0])) if found else ""


def require_no_directives(value: list[Any], cause: Cause) -> None:
    """Check that a list without a merge key has no directives. Raises PatchError."""
    for index, item in enumerate(value):
        if isinstance(item, dict) and DIRECTIVE in item:
            message = say('this list has no merge key and is replaced as a whole; remove "$patch"')
            raise PatchError(message, (*cause, index, DIRECTIVE))


def require_known(key: str, merging: Merging | None, cause: Cause) -> None:
    """Check that a patch has no other directives of kubectl, which would be written as fields. Raises PatchError."""
    if key.startswith(_OF_KUBECTL) and merging is not None:
        message = say('overlays do not support the directive "{}" of kubectl patch; use "$patch"', key)
        raise PatchError(message, (*cause, key))


Key = tuple[str, ...]
_DEFAULTS = {"protocol": "TCP"}


def key_entries(patch: list[Any], keys: tuple[str, ...], cause: Cause) -> Iterator[tuple[int, Key]]:
    """The entries' indices and keys, without what directs the list."""
    seen = set()
    for index, item in enumerate(patch):
        if is_directive(item):
            continue
        key = _key(item, keys)
        if key is None:
            message = say("an entry has no {}, the merge key of this list; add it", shown(keys[:1]))
            raise PatchError(message, (*cause, index))
        if key in seen:
            raise PatchError(say("the list in the patch has the duplicate {}; remove one", shown(key)), (*cause, index))
        seen.add(key)
        yield index, key


def texts_of(patch: list[Any], cause: Cause) -> Iterator[tuple[int, str]]:
    """The indices and texts of a set's scalars, each once."""
    seen = set()
    for index, value in enumerate(patch):
        if is_directive(value):
            continue
        if value is None or isinstance(value, dict | list):
            raise PatchError(say("this list has scalars only; write one"), (*cause, index))
        if text_of(value) not in seen:
            seen.add(text_of(value))
            yield index, text_of(value)


def places_of(items: list[Any], keys: tuple[str, ...]) -> dict[Key, list[int]]:
    """The places of each key; entries without one are omitted."""
    places: dict[Key, list[int]] = {}
    for place, item in enumerate(items):
        key = _key(item, keys)
        if key is not None:
            places.setdefault(key, []).append(place)
    return places


def _key(item: Any, keys: tuple[str, ...]) -> Key | None:
    """The key of an entry; None if one of the keys is missing."""
    if not isinstance(item, dict):
        return None
    values = [item.get(key, _DEFAULTS.get(key)) for key in keys]
    if any(value in (None, "") or isinstance(value, dict | list) for value in values):
        return None
    return tuple(map(text_of, values))


def have_several_keys(items: tuple[Any, ...], keys: tuple[str, ...]) -> bool:
    """Whether any entry has more than the first key."""
    return any(key in item for key in keys[1:] for item in items if isinstance(item, dict))


def text_of(value: Any) -> str:
    """A scalar as kustomize compares it: by its text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shown(key: tuple[str, ...]) -> Message:
    """The parts of a key for a message."""
    return joined((say('"{}"', part) for part in key), " ")
