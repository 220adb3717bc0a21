"""Changes of plain data: the data of a document after an edit, and large changes as small ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from kubectl_trainjob.model.source import Pointer, value_at

REMOVE: Final = object()
"""The value of an entry to remove."""


class EditError(Exception):
    """An edit that is not made; the message says why and what to do."""


class DataChange(NamedTuple):
    """`value` is the new plain data at `pointer` of a document, or REMOVE.

    Missing mappings above are created; the length of a list as index means one more item.
    """

    pointer: Pointer
    value: Any


def in_order(changes: list[DataChange]) -> list[DataChange]:
    """An order in which no change moves the place of a later one: removals last, of a list the last item first."""
    removals = [change for change in changes if change.value is REMOVE]
    removals.sort(key=lambda change: [(isinstance(step, int), step) for step in change.pointer], reverse=True)
    return [*(change for change in changes if change.value is not REMOVE), *removals]


def independent(changes: Iterable[DataChange]) -> list[list[DataChange]]:
    """Changes of single entries in rounds that keep their order where it counts.

    No change of a round is in a collection that another one of the round changes, or around it.
    """
    rounds: list[list[DataChange]] = []
    at, around = dict[Pointer, int](), dict[Pointer, int]()  # the first free round of a collection, and around it
    for change in changes:
        above = [change.pointer[:length] for length in range(len(change.pointer) or 1)]
        number = max(around.get(above[-1], 0), *(at.get(each, 0) for each in above))
        at[above[-1]] = number + 1
        around.update((each, max(around.get(each, 0), number + 1)) for each in above)
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(change)
    return rounds


def change_data(value: Any, change: DataChange) -> Any:
    """The data with a change; raises EditError if its place does not exist."""
    pointer, new = change
    if not pointer:
        return new
    step, rest = pointer[0], DataChange(pointer[1:], new)
    if value is None and new is not REMOVE:
        value = {} if isinstance(step, str) else []
    if isinstance(value, dict) and isinstance(step, str):
        copy: Any = dict(value)
        is_there, old = step in value, value.get(step)
    elif isinstance(value, list) and isinstance(step, int) and 0 <= step <= len(value):
        copy, is_there = [*value], step < len(value)
        old = value[step] if is_there else copy.append(None)
    else:
        raise EditError("the place does not exist; edit by hand")
    if new is REMOVE and not is_there:
        raise EditError("the value was already removed; run again")
    if new is REMOVE and not rest.pointer:
        del copy[step]
    else:
        copy[step] = change_data(old, rest)
    return copy


def same(one: Any, other: Any) -> bool:
    """Whether plain data is the same; 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def small(value: Any, change: DataChange) -> Iterator[DataChange]:
    """A change as changes of single entries, as far as the old and the new value have something in common.

    They apply one after the other. The last pointer of each is an entry, or the place of a new one.
    """
    pointer, new = _nearest(value, change)
    if new is REMOVE or not pointer:
        yield DataChange(pointer, new)
        return
    parent, step = value_at(value, pointer[:-1]), pointer[-1]
    is_new = step not in parent if isinstance(parent, dict) else step == len(parent)
    if is_new:
        yield DataChange(pointer, new)
    elif not same(parent[step], new):
        yield from _differences(pointer, parent[step], new)


def _nearest(value: Any, change: DataChange) -> DataChange:
    """The change at its last existing place, or at the place to add."""
    for depth, step in enumerate(change.pointer):
        below = value_at(value, (step,))
        if below is None and change.value is not REMOVE:
            return DataChange(
                change.pointer[: depth + 1], change_data(None, DataChange(change.pointer[depth + 1 :], change.value))
            )
        value = below
    return change


def _differences(pointer: Pointer, old: Any, new: Any) -> Iterator[DataChange]:
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() & new.keys():
        yield from (DataChange((*pointer, key), REMOVE) for key in old if key not in new)
        for key, value in new.items():
            if key not in old:
                yield DataChange((*pointer, key), value)
            elif not same(old[key], value):
                yield from _differences((*pointer, key), old[key], value)
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        yield from _list_differences(pointer, old, new)
    else:
        yield DataChange(pointer, new)


def _list_differences(pointer: Pointer, old: list[Any], new: list[Any]) -> Iterator[DataChange]:
    count = len(old)
    if len(new) == count:
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            if not same(one, other):
                yield from _differences((*pointer, index), one, other)
    elif len(new) > count and same(new[:count], old):
        yield from (DataChange((*pointer, index), new[index]) for index in range(count, len(new)))
    elif len(new) < count and (removed := _removed_positions(old, new)) is not None:
        yield from (DataChange((*pointer, index), REMOVE) for index in reversed(removed))
    else:
        yield DataChange(pointer, new)


def _removed_positions(old: list[Any], new: list[Any]) -> list[int] | None:
    """The indices of removed items; None if there are other changes."""
    removed: list[int] = []
    for index, value in enumerate(old):
        following = index - len(removed)
        if following == len(new) or not same(value, new[following]):
            removed.append(index)
    return removed if len(old) - len(removed) == len(new) else None
