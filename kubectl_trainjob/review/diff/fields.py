"""The values that differ between two versions of one object.

What is the same to the API server is no change: the order of a mapping's keys, another spelling of a quantity's amount,
1 and 1.0. All else is one, also what a person might overlook:

- null is a value. To `kubectl apply` it means "take away what stands there", and what is absent means "leave it".
- an empty mapping or list is not an absent one (`emptyDir: {}`).
- text, number and boolean differ, also where the API takes several of them (`port: 80` and `port: "80"`).
- the order of a list, also of one whose members have keys. It has a meaning in `env` ($(NAME) sees what stands before),
  `initContainers`, `replicatedJobs` (startupPolicy) and `failurePolicy.rules`, and where it has none, as in `volumes`,
  immutable fields are still compared in order. The members that are on both sides then make one change (`Order`).

A text of several lines is one value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar

from kubectl_trainjob.model.source import ABSENT, Pointer
from kubectl_trainjob.model.stages import Body, is_same
from kubectl_trainjob.review.diff.changes import FieldChange
from kubectl_trainjob.review.diff.list_keys import Key, Shape, are_same, likeness, shape_of, token

_SPARE = 2000  # of pairs of equal members that a comparison of two lists looks at, besides a few for each member
_EACH = 4

_Pairs = list[tuple[int, int]]
_Name = TypeVar("_Name", bound=Hashable)


class Order(tuple[str, ...]):
    """What a list's members are called, in their order: the old and the new "value" of a list that only differs in it.

    Members that have not moved at either end, and those that are on one side only, are left out. The pointers of such a
    change lead to the list.
    """

    __slots__ = ()


def field_changes(old: Body, new: Body) -> tuple[FieldChange, ...]:
    """What differs, in the new object's order, and what is gone where it stood; () for what is the same.

    Both are objects of one kind; their names are compared as everything is. Where a list's member is missing, the
    pointer on that side is the index behind the last one, so that it never means another member.
    """
    comparison = _Comparison()
    comparison.entries(old, new, shape_of(new), _At((), ()))
    return tuple(comparison.found)


def woven(old: Iterable[_Name], new: Collection[_Name]) -> list[_Name]:
    """All names in the new order; each that is gone stands behind the one that it stood behind. No name is there twice.

    `new` must be quick to look up in.
    """
    start: Any = object()
    last, gone = start, dict[Any, list[_Name]]()
    for name in old:
        if name in new:
            last = name
        else:
            gone.setdefault(last, []).append(name)
    result = gone.pop(start, [])
    for name in new:
        result.append(name)
        result += gone.get(name, ())
    return result


class _At(NamedTuple):
    """Where two values stand."""

    old: Pointer
    new: Pointer

    def below(self, old: str | int, new: str | int) -> _At:
        return _At((*self.old, old), (*self.new, new))


class _Comparison:
    """Walks two objects at once and keeps what it finds."""

    def __init__(self) -> None:
        self.found: list[FieldChange] = []

    def entries(self, old: Body, new: Body, shape: Shape, at: _At) -> None:
        """Compare two mappings."""
        for key in new if old.keys() == new.keys() else woven(old, new.keys()):
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
            pairs = _aligned(old, new, shape.member())
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


def _by_keys(old: list[Key], new: list[Key]) -> _Pairs:
    """The indices of members of the same key, in the new order."""
    places = {key: index for index, key in enumerate(old)}
    return [(places[key], index) for index, key in enumerate(new) if key in places]


def _orders(old: list[Key], new: list[Key]) -> tuple[Order, Order] | None:
    """The stretch of the same keys in which their order differs."""
    if old == new:
        return None
    start, end = _ends(old, new)
    stop = len(new) - end
    return _order(old[start:stop]), _order(new[start:stop])


def _order(keys: list[Key]) -> Order:
    return Order("/".join(map(str, key)) for key in keys)


def _all(pairs: _Pairs, old: int, new: int) -> Iterator[tuple[int | None, int | None]]:
    """The pairs in the new order, with each member that is on one side only where it stands there."""
    partners = dict(pairs)
    origins = {theirs: mine for mine, theirs in pairs}
    for name in woven((partners.get(index, -1 - index) for index in range(old)), range(new)):
        yield (-1 - name, None) if name < 0 else (origins.get(name), name)


def _aligned(old: Sequence[Any], new: Sequence[Any], shape: Shape) -> _Pairs:
    """The indices of members that belong together, in order on both sides.

    Those of a longest common subsequence; between two of them those that are alike, between two of these by position.
    """
    pairs = _common([token(item, shape) for item in old], [token(item, shape) for item in new])
    alike = [
        (rows[i], columns[j])
        for rows, columns in _gaps(pairs, len(old), len(new))
        for i, j in _common([likeness(old[row]) for row in rows], [likeness(new[column]) for column in columns])
    ]
    pairs = sorted(pairs + alike)
    rest = [pair for rows, columns in _gaps(pairs, len(old), len(new)) for pair in zip(rows, columns, strict=False)]
    return sorted(pairs + rest)


def _gaps(pairs: _Pairs, old: int, new: int) -> Iterator[tuple[range, range]]:
    """What stands between two pairs, if there is something on both sides."""
    row = column = 0
    for mine, theirs in (*pairs, (old, new)):
        if row < mine and column < theirs:
            yield range(row, mine), range(column, theirs)
        row, column = mine + 1, theirs + 1


def _common(old: Sequence[Hashable], new: Sequence[Hashable]) -> _Pairs:
    """A longest common subsequence, or nearly one where that would cost too much."""
    start, end = _ends(old, new)
    middle = _longest(old[start : len(old) - end], new[start : len(new) - end])
    return [
        *((index, index) for index in range(start)),
        *((start + i, start + j) for i, j in middle),
        *((len(old) - index, len(new) - index) for index in range(end, 0, -1)),
    ]


def _ends(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int]:
    """How many members are the same at the beginning, and how many of the rest at the end."""
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    rest = min(len(old), len(new)) - start
    ends = zip(reversed(old), reversed(new), range(rest), strict=False)
    return start, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))


def _longest(old: Sequence[Hashable], new: Sequence[Hashable]) -> _Pairs:
    """The algorithm of Hunt and Szymanski: its cost grows with the number of pairs of equal members.

    Where there are too many, the first of several equal members matches only the first, the second the second.
    """
    places = _places(new)
    if sum(len(places.get(name, ())) for name in old) > _SPARE + _EACH * (len(old) + len(new)):
        old, places = _numbered(old), _places(_numbered(new))
    ends: list[int] = []  # by the length of a common subsequence: where the one that ends first does
    chains: list[_Chain] = []
    for row, name in enumerate(old):
        for column in reversed(places.get(name, ())):
            length = bisect_left(ends, column)
            ends[length : length + 1] = [column]
            chains[length : length + 1] = [_Chain(row, column, chains[length - 1] if length else None)]
    return list(_links(chains[-1]))[::-1] if chains else []


class _Chain(NamedTuple):
    """A pair of a common subsequence, and those before it."""

    row: int
    column: int
    before: _Chain | None


def _links(chain: _Chain | None) -> Iterator[tuple[int, int]]:
    while chain:
        yield chain.row, chain.column
        chain = chain.before


def _places(names: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for index, name in enumerate(names):
        found.setdefault(name, []).append(index)
    return found


def _numbered(names: Sequence[Hashable]) -> list[Hashable]:
    """Each name with how many of it stood before."""
    seen: Counter[Hashable] = Counter()
    numbered: list[Hashable] = []
    for name in names:
        numbered.append((name, seen[name]))
        seen[name] += 1
    return numbered
