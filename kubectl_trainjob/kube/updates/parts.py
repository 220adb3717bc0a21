"""Two values side by side, part by part, as their schema correlates them.

Mirrors k8s.io/apiextensions-apiserver/pkg/registry/customresource (defaults stand in for what is absent, nulls are
absent) and pkg/apiserver/schema/cel (members of a list that is a map are the same if their keys are).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from kubectl_trainjob.kube.schemas.composites import Composite, List, Object
from kubectl_trainjob.kube.schemas.scalars import Scalar
from kubectl_trainjob.model.source import ABSENT, Pointer

Node = Scalar | Composite


class Ends(NamedTuple):
    """Where a value stands in the old and in the new object; the same where only one of them states it.

    `is_gone`: the old one alone does.
    """

    old: Pointer = ()
    new: Pointer = ()
    is_gone: bool = False


WHOLE = Ends()
"""The objects themselves."""


def _only_new(pointer: Pointer) -> Ends:
    return Ends(pointer, pointer)


def _only_old(pointer: Pointer) -> Ends:
    return Ends(pointer, pointer, is_gone=True)


class Part(NamedTuple):
    """A part of two values; `node` is None where the schema does not know it."""

    old: Any
    new: Any
    node: Node | None
    ends: Ends


def parts(old: Any, new: Any, node: Node | None, ends: Ends) -> Iterator[Part] | None:
    """The parts that either of two mappings or lists has, those of the new one first; None for other values."""
    if isinstance(node, Object) and isinstance(old, dict) and isinstance(new, dict):
        return _fields(old, new, node, ends)
    if not (isinstance(node, List) and isinstance(old, list) and isinstance(new, list)):
        return None
    known, given = members(old, node), members(new, node)
    if known is None or given is None:
        return _positions(Part(old, new, node.item, ends))
    return _members(Part(old, new, node.item, ends), known, given)


def members(items: list[Any], node: List) -> dict[Any, int] | None:
    """The index of each member by what tells it apart; None for a list that is no map and no set."""
    if not (node.keys or node.unique):
        return None
    found = {_identity(item, node): index for index, item in enumerate(items)}
    return found if len(found) == len(items) else None


def _identity(item: Any, node: List) -> Any:
    if not isinstance(node.item, Object):
        return repr(item)
    fields = node.item.fields
    return tuple(_present(item, key, fields[key]) for key in node.keys)


def _fields(old: Mapping[str, Any], new: Mapping[str, Any], node: Object, ends: Ends) -> Iterator[Part]:
    for key in dict.fromkeys((*new, *old)):
        named = node.fields[key]
        before, after = _present(old, key, named), _present(new, key, named)
        if new.get(key) is None:
            below = _only_old((*ends.old, key))
        elif old.get(key) is None:
            below = _only_new((*ends.new, key))
        else:
            below = Ends((*ends.old, key), (*ends.new, key))
        if before is not after:
            yield Part(before, after, named or node.entry, below)


def _present(value: Mapping[str, Any], key: str, named: Node | None) -> Any:
    found = value.get(key)
    if found is None and named is not None:
        found = named.default
    return ABSENT if found is None else found


def _members(both: Part, known: Mapping[Any, int], given: Mapping[Any, int]) -> Iterator[Part]:
    old, new, item, ends = both
    for identity, index in given.items():
        before = known.get(identity)
        if before is None:
            yield Part(ABSENT, new[index], item, _only_new((*ends.new, index)))
        else:
            yield Part(old[before], new[index], item, Ends((*ends.old, before), (*ends.new, index)))
    for identity, index in known.items():
        if identity not in given:
            yield Part(old[index], ABSENT, item, _only_old((*ends.old, index)))


def _positions(both: Part) -> Iterator[Part]:
    """Between what both lists begin with and what both end with, items are paired by their place."""
    old, new, item, ends = both
    shortest = min(len(old), len(new))
    first = next((index for index in range(shortest) if old[index] != new[index]), shortest)
    rest = shortest - first
    last = next((index for index in range(rest) if old[-1 - index] != new[-1 - index]), rest)
    for before, after in zip_longest(range(first, len(old) - last), range(first, len(new) - last)):
        if before is None:
            yield Part(ABSENT, new[after], item, _only_new((*ends.new, after)))
        elif after is None:
            yield Part(old[before], ABSENT, item, _only_old((*ends.old, before)))
        else:
            yield Part(old[before], new[after], item, Ends((*ends.old, before), (*ends.new, after)))
