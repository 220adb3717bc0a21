"""Changes of plain data: what a document is to hold when its text was edited, and large changes as small ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from kubectl_trainjob.model.source import Pointer, value_at


class Removal:
    """The type of REMOVE."""

    def __repr__(self) -> str:
        return "REMOVE"


REMOVE: Final = Removal()
"""Stands for the value of an entry that is to go."""


class RefusedError(Exception):
    """An edit that is not made; the message says why."""


class Change(NamedTuple):
    """`value` is the plain data that shall stand at `pointer` of a document, REMOVE for nothing.

    Missing mappings on the way are made; an index that is the list's length means one more item.
    """

    pointer: Pointer
    value: Any


def in_order(changes: list[Change]) -> list[Change]:
    """An order in which no change moves what a later one points at: removals last, of a list the last item first."""
    removals = [change for change in changes if change.value is REMOVE]
    removals.sort(key=lambda change: [(isinstance(step, int), step) for step in change.pointer], reverse=True)
    return [*(change for change in changes if change.value is not REMOVE), *removals]


def changed(value: Any, change: Change) -> Any:
    """The data with a change; raises RefusedError where there is nothing to remove or nowhere to write."""
    pointer, new = change
    if not pointer:
        return new
    step, rest = pointer[0], Change(pointer[1:], new)
    if value is None and new is not REMOVE:
        value = {} if isinstance(step, str) else []
    if isinstance(value, dict) and isinstance(step, str):
        copy: Any = dict(value)
        is_there, old = step in value, value.get(step)
    elif isinstance(value, list) and isinstance(step, int) and 0 <= step <= len(value):
        copy, is_there = [*value], step < len(value)
        old = value[step] if is_there else copy.append(None)
    else:
        raise RefusedError("the place is not there")
    if new is REMOVE and not is_there:
        raise RefusedError("there is nothing to remove any more")
    if new is REMOVE and not rest.pointer:
        del copy[step]
    else:
        copy[step] = changed(old, rest)
    return copy


def same(one: Any, other: Any) -> bool:
    """Whether plain data is the same; 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def small(value: Any, change: Change) -> Iterator[Change]:
    """A change as ones of single entries, as far as the old value has something in common with the new one.

    They are for one after the other. The last pointer of each leads to an entry, or to where one is added.
    """
    pointer, new = _nearest(value, change)
    if new is REMOVE or not pointer:
        yield Change(pointer, new)
        return
    parent, step = value_at(value, pointer[:-1]), pointer[-1]
    is_new = step not in parent if isinstance(parent, dict) else step == len(parent)
    if is_new:
        yield Change(pointer, new)
    elif not same(parent[step], new):
        yield from _differences(pointer, parent[step], new)


def _nearest(value: Any, change: Change) -> Change:
    """The change at the last place on its way that is there, or that can be added to what is there."""
    for depth, step in enumerate(change.pointer):
        below = value_at(value, (step,))
        if below is None and change.value is not REMOVE:
            return Change(change.pointer[: depth + 1], changed(None, Change(change.pointer[depth + 1 :], change.value)))
        value = below
    return change


def _differences(pointer: Pointer, old: Any, new: Any) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() & new.keys():
        yield from (Change((*pointer, key), REMOVE) for key in old if key not in new)
        for key, value in new.items():
            if key not in old:
                yield Change((*pointer, key), value)
            elif not same(old[key], value):
                yield from _differences((*pointer, key), old[key], value)
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        yield from _list_differences(pointer, old, new)
    else:
        yield Change(pointer, new)


def _list_differences(pointer: Pointer, old: list[Any], new: list[Any]) -> Iterator[Change]:
    count = len(old)
    if len(new) == count:
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            if not same(one, other):
                yield from _differences((*pointer, index), one, other)
    elif len(new) > count and same(new[:count], old):
        yield from (Change((*pointer, index), new[index]) for index in range(count, len(new)))
    elif len(new) < count and (gone := _left_out(old, new)) is not None:
        yield from (Change((*pointer, index), REMOVE) for index in reversed(gone))
    else:
        yield Change(pointer, new)


def _left_out(old: list[Any], new: list[Any]) -> list[int] | None:
    """The indices of the items that are left out; None where that is not all."""
    gone: list[int] = []
    following = 0
    for index, value in enumerate(old):
        if following < len(new) and same(value, new[following]):
            following += 1
        else:
            gone.append(index)
    return gone if following == len(new) else None
