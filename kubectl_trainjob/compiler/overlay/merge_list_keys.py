"""The entries of a list that is merged: what tells them apart.

Mirrors kyaml/yaml/walk/associative_sequence.go: scalars are compared by their text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.compiler.overlay.merge_directives import is_directive
from kubectl_trainjob.compiler.overlay.patch_error import PatchError
from kubectl_trainjob.model.draft import Cause

Key = tuple[str, ...]
_DEFAULTS = {"protocol": "TCP"}


def keyed(patch: list[Any], keys: tuple[str, ...], cause: Cause) -> Iterator[tuple[int, Key]]:
    """The entries' indices and keys, without what directs the list."""
    seen = set()
    for index, item in enumerate(patch):
        if is_directive(item):
            continue
        key = _key(item, keys)
        if key is None:
            message = f"an entry lacks {shown(keys[:1])}, by which this list is merged; add it"
            raise PatchError(message, (*cause, index))
        if key in seen:
            raise PatchError(f"the patch's list has {shown(key)} twice; leave one of them", (*cause, index))
        seen.add(key)
        yield index, key


def texts_of(patch: list[Any], cause: Cause) -> Iterator[tuple[int, str]]:
    """The indices and texts of a set's scalars, each once."""
    seen = set()
    for index, value in enumerate(patch):
        if is_directive(value):
            continue
        if value is None or isinstance(value, dict | list):
            raise PatchError("this list holds scalars only; write one", (*cause, index))
        if text_of(value) not in seen:
            seen.add(text_of(value))
            yield index, text_of(value)


def places_of(items: list[Any], keys: tuple[str, ...]) -> dict[Key, list[int]]:
    """Where each key stands; entries without one are left out."""
    places: dict[Key, list[int]] = {}
    for place, item in enumerate(items):
        key = _key(item, keys)
        if key is not None:
            places.setdefault(key, []).append(place)
    return places


def _key(item: Any, keys: tuple[str, ...]) -> Key | None:
    """What tells an entry apart; None where one of the keys is missing."""
    if not isinstance(item, dict):
        return None
    values = [item.get(key, _DEFAULTS.get(key)) for key in keys]
    if any(value in (None, "") or isinstance(value, dict | list) for value in values):
        return None
    return tuple(map(text_of, values))


def have_several_keys(items: tuple[Any, ...], keys: tuple[str, ...]) -> bool:
    """Whether any entry states more than the first key."""
    return any(key in item for key in keys[1:] for item in items if isinstance(item, dict))


def text_of(value: Any) -> str:
    """A scalar as kustomize compares it: by its text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shown(key: tuple[str, ...]) -> str:
    """The parts of a key for a message."""
    return " ".join(f'"{part}"' for part in key)
