"""Changes of plain data: the data of a document after an edit, and large changes as small ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from kubectl_trainjob.model.source import Pointer, same, value_at

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


class _EditRound(NamedTuple):
    """The changes of a round, the collections that they change, and those around these."""

    changes: list[DataChange]
    changed: set[Pointer]
    around: set[Pointer]

    def is_free(self, above: list[Pointer]) -> bool:
        """Whether the last of these collections can be changed: no other change is around it, or inside."""
        return above[-1] not in self.around and self.changed.isdisjoint(above[:-1])


class _EditRounds:
    """Puts each change into the first round in which its pointer is right."""

    def __init__(self) -> None:
        self.rounds: list[_EditRound] = []
        self._after: dict[Pointer, int] = {}  # an entry: the first round after its change
        self._last: dict[Pointer, int] = {}  # a collection: the last round that changes it
        self._deeper: dict[Pointer, int] = {}  # a collection: the first round after changes inside its entries
        self._moved: dict[Pointer, tuple[int, int]] = {}  # a list: the first index that moves, the first round after

    def add(self, change: DataChange) -> None:
        """Add the next change."""
        pointer = change.pointer
        above = [pointer[:length] for length in range(len(pointer) or 1)]
        number = self._first(change, above)
        while number < len(self.rounds) and not self.rounds[number].is_free(above):
            number += 1
        if number == len(self.rounds):
            self.rounds.append(_EditRound([], set(), set()))
        self.rounds[number].changes.append(change)
        self.rounds[number].changed.add(above[-1])
        self.rounds[number].around.update(above[:-1])
        self._note(change, above, number)

    def _first(self, change: DataChange, above: list[Pointer]) -> int:
        """The first round in which all indices on the way are right, after all that is inside of the entry."""
        pointer, holder = change.pointer, above[-1]
        first = max(self._after.get(pointer, 0), self._deeper.get(pointer, 0), self._last.get(pointer, -1) + 1)
        for each, step in zip(above, pointer, strict=False):
            least, after = self._moved.get(each, (0, 0))
            is_moved = isinstance(step, int) and step >= least
            first = max(first, after if is_moved else 0, self._after.get(each, 0))
        if not isinstance(pointer[-1:] and pointer[-1], int):
            return first
        return max(first, self._last.get(holder, 0), self._deeper.get(holder, 0) if change.value is REMOVE else 0)

    def _note(self, change: DataChange, above: list[Pointer], number: int) -> None:
        pointer, holder = change.pointer, above[-1]
        self._after[pointer] = number + 1
        self._last[holder] = max(self._last.get(holder, 0), number)
        self._deeper.update((each, max(self._deeper.get(each, 0), number + 1)) for each in above[:-1])
        if change.value is REMOVE and isinstance(pointer[-1], int):
            least, _ = self._moved.get(holder, (pointer[-1], 0))
            self._moved[holder] = min(least, pointer[-1]), number + 1


def independent(changes: Iterable[DataChange]) -> list[list[DataChange]]:
    """Changes of single entries in rounds that keep their order where it counts.

    The changes of a round are of different entries, which their pointers name before the round: none is in a
    collection that another one changes, unless it is the same one.
    """
    rounds = _EditRounds()
    for change in changes:
        rounds.add(change)
    return [each.changes for each in rounds.rounds]


def change_data(value: Any, change: DataChange, own: dict[int, Any] | None = None) -> Any:
    """The data with a change; raises EditError if its place does not exist.

    `own` has the copies that earlier calls made for the same caller only, by id: these are changed in place.
    """
    pointer, new = change
    if not pointer:
        return new
    step, rest = pointer[0], DataChange(pointer[1:], new)
    if value is None and new is not REMOVE:
        value = {} if isinstance(step, str) else []
    if isinstance(value, dict) and isinstance(step, str):
        copy, is_there = _own_copy(value, own), step in value
    elif isinstance(value, list) and isinstance(step, int) and 0 <= step <= len(value):
        copy, is_there = _own_copy(value, own), step < len(value)
    else:
        raise EditError("the place does not exist; edit by hand")
    if new is REMOVE and not is_there:
        raise EditError("the value was already removed; run again")
    if new is REMOVE and not rest.pointer:
        del copy[step]
        return copy
    entry = change_data(copy[step] if is_there else None, rest, own)
    if is_there or isinstance(copy, dict):
        copy[step] = entry
    else:
        copy.append(entry)
    return copy


def _own_copy(value: Any, own: dict[int, Any] | None) -> Any:
    if own is None:
        return value.copy()
    if id(value) not in own:
        value = value.copy()
        own[id(value)] = value
    return value


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
