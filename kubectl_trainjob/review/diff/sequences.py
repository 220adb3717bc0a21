"""Sequences of names: merged and aligned."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import count, takewhile
from typing import Any, NamedTuple, TypeVar

from kubectl_trainjob.model.groups import group

_SPARE = 2000  # pairs of equal items that an alignment checks, and a few more for each item
_EACH = 4

Pairs = list[tuple[int, int]]
_Name = TypeVar("_Name", bound=Hashable)


def weave(old: Iterable[_Name], new: Collection[_Name]) -> list[_Name]:
    """All names in the new order, each removed one after its former predecessor. Names are unique on each tree.

    `new` needs a fast lookup.
    """
    start: Any = object()
    last, removed = start, dict[Any, list[_Name]]()
    for name in old:
        if name in new:
            last = name
        else:
            removed.setdefault(last, []).append(name)
    return [*removed.get(start, ()), *(each for name in new for each in (name, *removed.get(name, ())))]


def common(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    """A longest common subsequence, or nearly one if that would cost too much."""
    start, end = ends_of(old, new)
    middle = _longest(old[start : len(old) - end], new[start : len(new) - end])
    return [
        *((index, index) for index in range(start)),
        *((start + i, start + j) for i, j in middle),
        *((len(old) - index, len(new) - index) for index in range(end, 0, -1)),
    ]


def ends_of(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int]:
    """How many items are the same at the start, and how many of the rest at the end."""
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    rest = min(len(old), len(new)) - start
    ends = zip(reversed(old), reversed(new), range(rest), strict=False)
    return start, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))


def _longest(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    """The algorithm of Hunt and Szymanski: its cost grows with the number of pairs of equal items.

    If there are too many, the first of several equal items matches only the first, the second the second.
    """
    places = _indices(new)
    if sum(len(places.get(name, ())) for name in old) > _SPARE + _EACH * (len(old) + len(new)):
        old, places = _number(old), _indices(_number(new))
    ends: list[int] = []  # by the length of a common subsequence: the earliest end
    chains: list[_Chain] = []
    for row, name in enumerate(old):
        for column in reversed(places.get(name, ())):
            length = bisect_left(ends, column)
            ends[length : length + 1] = [column]
            chains[length : length + 1] = [_Chain(row, column, chains[length - 1] if length else None)]
    pairs, chain = Pairs(), chains[-1] if chains else None
    while chain:
        pairs.append((chain.row, chain.column))
        chain = chain.before
    return pairs[::-1]


class _Chain(NamedTuple):
    """A pair of a common subsequence, and those before it."""

    row: int
    column: int
    before: _Chain | None


def _indices(names: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    return group((name, index) for index, name in enumerate(names))


def _number(names: Sequence[Hashable]) -> list[Hashable]:
    """Each name with the number of its former occurrences."""
    numbers: dict[Hashable, Iterator[int]] = defaultdict(count)
    return [(name, next(numbers[name])) for name in names]
