"""Which removed object an added one probably is, under another name: a guess from their contents.

The likeness of two objects is the share of values that both have; a value counts less if more objects have it. A text
of several lines counts line by line. The object's own name in a text counts as "its name". An object is not paired if
another candidate is nearly as good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.kube.facts.sweep import SWEEP_LABEL
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.source import Source, value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_ALIKE = 0.6
_ALIKE_IN_PLACE = 0.3  # under the same name in another namespace, or in the same document of a file
_BONUS = 0.2  # for the same place, and at most as much for a similar name
_MARGIN = 0.05  # between the best and the next
_COMMON = 8  # objects of a tree; values that more of them have lead to no candidate
_CANDIDATES = 8
_LEAVES = 400  # of one object
_SHORTEST_NAME = 3
_NOTHING: tuple[Any, ...] = ({}, [], None)  # an empty `spec` has no content, an `emptyDir` has
_OWN_NAME = "\0"
_Clues = dict[Hashable, None]
_NAMES = frozenset(("name", "namespace", "generateName"))
_IGNORED = frozenset(("apiVersion", "kind", "status"))
_WORDS = re.compile(r"[a-z]+|[0-9]+", re.IGNORECASE)


class PlainObject(NamedTuple):
    """An object of one tree; `source` is the document it is in, None if it is generated."""

    identity: ObjectId
    body: Body
    source: Source | None = None


def guess_renames(old: Sequence[PlainObject], new: Sequence[PlainObject]) -> list[tuple[int, int]]:
    """The indices of objects of only one tree that probably are the same; each at most once.

    Only objects of one group and kind. No trial of a search is another one: its name is a hash of its parameters. The
    cost grows with the objects' number and size, not with the pairs'.
    """
    old_kinds, new_kinds = map(_by_kind, (old, new))
    found = []
    for kind, rows in old_kinds.items():
        columns = new_kinds.get(kind, ())
        pairs = _Guess([old[row] for row in rows], [new[column] for column in columns]).pairs() if columns else ()
        found += [(rows[i], columns[j]) for i, j in pairs]
    return found


def group_kind(identity: ObjectId) -> tuple[str, str]:
    """The group and the kind of an object, of any version."""
    return group_of(identity.api_version), identity.kind


def _by_kind(objects: Iterable[PlainObject]) -> dict[tuple[str, str], list[int]]:
    trial = ("metadata", "labels", SWEEP_LABEL)
    others = ((index, each) for index, each in enumerate(objects) if value_at(each.body, trial) is None)
    return group((group_kind(each.identity), index) for index, each in others)


class _Traits:
    """What an object is compared by: its values, the words of its name, and its place or name.

    All in the object's order: sums and ties have the same result each time.
    """

    def __init__(self, printed: PlainObject) -> None:
        identity, body, source = printed
        self.leaves: _Clues = dict.fromkeys(islice(_leaves(body, identity.name), _LEAVES))
        self.words: _Clues = dict.fromkeys(("word", word) for word in _WORDS.findall(identity.name))
        self.places: _Clues = {("name", identity.name): None} if identity.name else {}
        if source:
            self.places["place", source.file.common_path, source.document, source.prefix] = None

    def clues(self) -> Iterator[Hashable]:
        """The clues that find candidates."""
        return chain(self.leaves, self.words, self.places, [("all", frozenset(self.leaves))])


class _Guess:
    """The objects of one kind that only one tree has."""

    def __init__(self, old: Iterable[PlainObject], new: Iterable[PlainObject]) -> None:
        self._old = [_Traits(each) for each in old]
        self._new = [_Traits(each) for each in new]
        sides = ([clue for each in side for clue in each.clues()] for side in (self._old, self._new))
        old_counts, new_counts = map(Counter, sides)
        self._counts: Counter[Hashable] = old_counts | new_counts  # of the tree with more of them

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The best pairs without rivals, each object at most once."""
        scores = self._scores()
        rows, columns = group(scores), group((column, row) for row, column in scores)
        taken = set[tuple[str, int]]()
        for (i, j), score in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
            if ("old", i) in taken or ("new", j) in taken:
                continue
            rivals = [(i, k) for k in rows[i] if k != j and ("new", k) not in taken]
            rivals += [(k, j) for k in columns[j] if k != i and ("old", k) not in taken]
            if all(scores[rival] < score - _MARGIN for rival in rivals):
                taken |= {("old", i), ("new", j)}
                yield i, j

    def _scores(self) -> dict[tuple[int, int], float]:
        """The scores of candidates that fit."""
        clues = ((clue, column) for column, each in enumerate(self._new) for clue in each.clues())
        holders = group((clue, column) for clue, column in clues if self._counts[clue] <= _COMMON)
        scores = (
            ((row, column), self._score(each, self._new[column]))
            for row, each in enumerate(self._old)
            for column in self._candidates(each, holders)
        )
        return {pair: score for pair, score in scores if score is not None}

    def _candidates(self, traits: _Traits, holders: dict[Hashable, list[int]]) -> list[int]:
        votes = Counter(column for clue in traits.clues() for column in holders.get(clue, ()))
        return [column for column, _ in votes.most_common(_CANDIDATES)]

    def _score(self, old: _Traits, new: _Traits) -> float | None:
        """The likeness of two objects, None if it is too low."""
        is_there = not old.places.keys().isdisjoint(new.places)
        content = self._likeness(old.leaves, new.leaves)
        if content < (_ALIKE_IN_PLACE if is_there else _ALIKE):
            return None
        return content + _BONUS * is_there + _BONUS * self._likeness(old.words, new.words)

    def _likeness(self, old: _Clues, new: _Clues) -> float:
        """The share of what both have; one half if neither has anything."""
        shared = self._weight(clue for clue in old if clue in new)
        everything = self._weight(old) + self._weight(new) - shared
        return round(shared / everything, 9) if everything else 0.5

    def _weight(self, clues: Iterable[Hashable]) -> float:
        return sum(1 / self._counts[clue] for clue in clues)


def _leaves(body: Body, name: str) -> Iterator[Hashable]:
    """The values of an object, each with its keys; a list's items count at any position."""
    own = name if len(name) >= _SHORTEST_NAME else ""
    metadata = body.get("metadata")
    rest = {key: value for key, value in metadata.items() if key not in _NAMES} if isinstance(metadata, dict) else {}
    waiting: list[tuple[str, Any]] = [("", {**body, "metadata": rest})]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict) and value:
            waiting += ((f"{path}/{key}", entry) for key, entry in value.items() if path or key not in _IGNORED)
        elif isinstance(value, (list, tuple)) and value:
            waiting += ((f"{path}/", item) for item in value)
        elif isinstance(value, str):
            text = value.replace(own, _OWN_NAME) if own else value
            yield from ((path, line) for line in text.split("\n"))
        elif path.count("/") > 1 or value not in _NOTHING:
            yield path, str(value)
