"""The values that differ between two versions of one object.

Values that are equal to the API server do not differ: mappings with another order of keys, quantities in another
spelling, 1 and 1.0. All else differs:

- null is a value. To `kubectl apply` it means "remove the value"; an absent value means "keep it".
- an empty mapping or list is not an absent one (`emptyDir: {}`).
- text, number and boolean differ, also if the API accepts several of them (`port: 80` and `port: "80"`).
- the order of a list, also of one whose items have keys. It has a meaning in `env` ($(NAME) sees earlier variables),
  `initContainers`, `replicatedJobs` (startupPolicy) and `failurePolicy.rules`. Elsewhere, as in `volumes`, immutable
  fields are still compared in order. The items of base and head are then one change (`Order`).

A text of several lines is one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kubectl_trainjob.model.source import ABSENT, Pointer
from kubectl_trainjob.model.stages import Body, is_same
from kubectl_trainjob.review.diff.changes import FieldChange
from kubectl_trainjob.review.diff.list_keys import Key, Shape, are_same, likeness, shape_of, token
from kubectl_trainjob.review.diff.sequences import Pairs, common, ends_of, weave


class Order(tuple[str, ...]):
    """The keys of a list's items in order: the old and the new "value" of a list whose order differs.

    Items at both ends that have not moved are omitted, and items of only one tree. The pointers are those of the list.
    """

    __slots__ = ()


def field_changes(old: Body, new: Body) -> tuple[FieldChange, ...]:
    """What differs between two objects of one kind, in the new object's order; removed values at their old position.

    If a tree lacks an item of a list, its pointer has the index after the last one: it never means another item.
    """
    walk = _FieldWalk()
    walk.entries(old, new, shape_of(new), _At((), ()))
    return tuple(walk.found)


class _At(NamedTuple):
    """The pointers of two values."""

    old: Pointer
    new: Pointer

    def below(self, old: str | int, new: str | int) -> _At:
        return _At((*self.old, old), (*self.new, new))


class _FieldWalk:
    """Walks two objects together and keeps the differences."""

    def __init__(self) -> None:
        self.found: list[FieldChange] = []

    def entries(self, old: Body, new: Body, shape: Shape, at: _At) -> None:
        """Compare two mappings."""
        for key in new if old.keys() == new.keys() else weave(old, new.keys()):
            mine, theirs = old.get(key, ABSENT), new.get(key, ABSENT)
            if not is_same(mine, theirs):
                self._values(mine, theirs, shape.below(key), at.below(key, key))

    def _values(self, old: Any, new: Any, shape: Shape, at: _At) -> None:
        if isinstance(old, dict) and isinstance(new, dict):
            self.entries(old, new, shape, at)
        elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
            self._items(old, new, shape, at)
        elif not are_same(old, new, shape):
            self.found.append(FieldChange(at.old, at.new, old, new))

    def _items(self, old: Sequence[Any], new: Sequence[Any], shape: Shape, at: _At) -> None:
        old_keys, new_keys = shape.keys(old), shape.keys(new)
        if old_keys is None or new_keys is None:
            pairs = _align(old, new, shape.member())
        else:
            pairs = _by_keys(old_keys, new_keys)
            orders = _orders([old_keys[i] for i, _ in sorted(pairs)], [new_keys[j] for _, j in pairs])
            if orders:
                self.found.append(FieldChange(*at, *orders))
        for i, j in _all(pairs, len(old), len(new)):
            mine, theirs = (ABSENT if i is None else old[i]), (ABSENT if j is None else new[j])
            if not is_same(mine, theirs):
                place = at.below(len(old) if i is None else i, len(new) if j is None else j)
                self._values(mine, theirs, shape.member(), place)


def _by_keys(old: list[Key], new: list[Key]) -> Pairs:
    """The indices of items with the same key, in the new order."""
    places = {key: index for index, key in enumerate(old)}
    return [(places[key], index) for index, key in enumerate(new) if key in places]


def _orders(old: list[Key], new: list[Key]) -> tuple[Order, Order] | None:
    """The range of the common keys in which their order differs."""
    if old == new:
        return None
    start, end = ends_of(old, new)
    stop = len(new) - end
    return _order(old[start:stop]), _order(new[start:stop])


def _order(keys: list[Key]) -> Order:
    return Order("/".join(map(str, key)) for key in keys)


def _all(pairs: Pairs, old: int, new: int) -> Iterator[tuple[int | None, int | None]]:
    """The pairs in the new order, and the items of only one tree at their position there."""
    partners = dict(pairs)
    origins = {theirs: mine for mine, theirs in pairs}
    for name in weave((partners.get(index, -1 - index) for index in range(old)), range(new)):
        yield (-1 - name, None) if name < 0 else (origins.get(name), name)


def _align(old: Sequence[Any], new: Sequence[Any], shape: Shape) -> Pairs:
    """The indices of items that belong together, in order in base and head.

    First a longest common subsequence; between its pairs similar items; between these items at the same position.
    """
    pairs = common([token(item, shape) for item in old], [token(item, shape) for item in new])
    alike = [
        (rows[i], columns[j])
        for rows, columns in _gaps(pairs, len(old), len(new))
        for i, j in common([likeness(old[row]) for row in rows], [likeness(new[column]) for column in columns])
    ]
    pairs = sorted(pairs + alike)
    rest = [pair for rows, columns in _gaps(pairs, len(old), len(new)) for pair in zip(rows, columns, strict=False)]
    return sorted(pairs + rest)


def _gaps(pairs: Pairs, old: int, new: int) -> Iterator[tuple[range, range]]:
    """The items between two pairs, if base and head have some."""
    row = column = 0
    for mine, theirs in (*pairs, (old, new)):
        if row < mine and column < theirs:
            yield range(row, mine), range(column, theirs)
        row, column = mine + 1, theirs + 1
