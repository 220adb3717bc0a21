"""Which object that is gone a new one probably is, under another name: a guess from what both say.

Two objects are as alike as the share of values that both have, a value counting the less the more objects have it. A
text of several lines counts line by line, and the object's own name in a text counts as "its name". Nothing is guessed
where another candidate is nearly as good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import Body, ObjectId

_ALIKE = 0.6
_ALIKE_IN_PLACE = 0.3  # under the same name in another namespace, or in the same document of a file
_BONUS = 0.2  # for standing there, and at most as much for a similar name
_MARGIN = 0.05  # by which the best must be better than the next
_COMMON = 8  # objects of a side; what more of them have leads to no candidate
_CANDIDATES = 8
_LEAVES = 400  # of one object; no more of it is read
_SHORTEST_NAME = 3
_NOTHING: tuple[Any, ...] = ({}, [], None)  # an empty `spec` says nothing, an `emptyDir` does
_OWN_NAME = "\0"
_Clues = dict[Hashable, None]
_NAMES = frozenset(("name", "namespace", "generateName"))
_UNTOLD = frozenset(("apiVersion", "kind", "status"))
_WORDS = re.compile(r"[a-z]+|[0-9]+", re.IGNORECASE)


class PlainObject(NamedTuple):
    """An object of one side; `source` is the document it is in, None where it has none of its own."""

    identity: ObjectId
    body: Body
    source: Source | None = None


def guessed(old: Sequence[PlainObject], new: Sequence[PlainObject]) -> list[tuple[int, int]]:
    """The indices of objects that probably are the same, of all that are on one side only; each at most once.

    Only objects of one group and kind. The cost grows with the objects' number and size, not with the pairs'.
    """
    old_kinds, new_kinds = _by_kind(old), _by_kind(new)
    found = []
    for kind, rows in old_kinds.items():
        columns = new_kinds.get(kind, ())
        pairs = _Guess([old[row] for row in rows], [new[column] for column in columns]).pairs() if columns else ()
        found += [(rows[i], columns[j]) for i, j in pairs]
    return found


def _by_kind(objects: Sequence[PlainObject]) -> dict[tuple[str, str], list[int]]:
    kinds: dict[tuple[str, str], list[int]] = {}
    for index, (identity, *_) in enumerate(objects):
        kinds.setdefault((group_of(identity.api_version), identity.kind), []).append(index)
    return kinds


class _Traits:
    """What an object is compared by: its values, the words of its name, and where it stands or what it is called.

    All in the object's order, so that sums and ties come out the same each time.
    """

    def __init__(self, printed: PlainObject) -> None:
        identity, body, source = printed
        self.leaves: _Clues = dict.fromkeys(islice(_leaves(body, identity.name), _LEAVES))
        self.words: _Clues = dict.fromkeys(("word", word) for word in _WORDS.findall(identity.name))
        self.places: _Clues = {("name", identity.name): None} if identity.name else {}
        if source:
            self.places["place", source.file.common_path, source.document, source.prefix] = None

    def clues(self) -> Iterator[Hashable]:
        """What leads to candidates."""
        return chain(self.leaves, self.words, self.places, [("all", frozenset(self.leaves))])


class _Guess:
    """The objects of one kind that are on one side only."""

    def __init__(self, old: Iterable[PlainObject], new: Iterable[PlainObject]) -> None:
        self._old = [_Traits(each) for each in old]
        self._new = [_Traits(each) for each in new]
        sides = ([clue for each in side for clue in each.clues()] for side in (self._old, self._new))
        old_counts, new_counts = map(Counter, sides)
        self._counts: Counter[Hashable] = old_counts | new_counts  # of the side that has more of it

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The best pairs, each object at most once, none that has a rival."""
        scores = self._scores()
        rows, columns = _rivals(scores)
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
        """How well the candidates fit, where well enough."""
        holders: dict[Hashable, list[int]] = {}
        for column, each in enumerate(self._new):
            for clue in each.clues():
                if self._counts[clue] <= _COMMON:
                    holders.setdefault(clue, []).append(column)
        scores = {}
        for row, each in enumerate(self._old):
            for column in self._candidates(each, holders):
                score = self._score(each, self._new[column])
                if score is not None:
                    scores[row, column] = score
        return scores

    def _candidates(self, traits: _Traits, holders: dict[Hashable, list[int]]) -> list[int]:
        votes: Counter[int] = Counter()
        for clue in traits.clues():
            for column in holders.get(clue, ()):
                votes[column] += 1
        return [column for column, _ in votes.most_common(_CANDIDATES)]

    def _score(self, old: _Traits, new: _Traits) -> float | None:
        """How alike two objects are, None where they are not."""
        is_there = not old.places.keys().isdisjoint(new.places)
        content = self._likeness(old.leaves, new.leaves)
        if content < (_ALIKE_IN_PLACE if is_there else _ALIKE):
            return None
        return content + _BONUS * is_there + _BONUS * self._likeness(old.words, new.words)

    def _likeness(self, old: _Clues, new: _Clues) -> float:
        """The share of what both have; half of it where neither has anything."""
        shared = self._weight(clue for clue in old if clue in new)
        everything = self._weight(old) + self._weight(new) - shared
        return round(shared / everything, 9) if everything else 0.5

    def _weight(self, clues: Iterable[Hashable]) -> float:
        return sum(1 / self._counts[clue] for clue in clues)


def _rivals(pairs: Iterable[tuple[int, int]]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """The new objects that each old one may be, and the other way round."""
    rows: dict[int, list[int]] = {}
    columns: dict[int, list[int]] = {}
    for row, column in pairs:
        rows.setdefault(row, []).append(column)
        columns.setdefault(column, []).append(row)
    return rows, columns


def _leaves(body: Body, name: str) -> Iterator[Hashable]:
    """The values of an object, each with the keys that lead to it; a list's members count wherever they stand."""
    own = name if len(name) >= _SHORTEST_NAME else ""
    metadata = body.get("metadata")
    rest = {key: value for key, value in metadata.items() if key not in _NAMES} if isinstance(metadata, dict) else {}
    waiting: list[tuple[str, Any]] = [("", {**body, "metadata": rest})]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict) and value:
            waiting += ((f"{path}/{key}", entry) for key, entry in value.items() if path or key not in _UNTOLD)
        elif isinstance(value, (list, tuple)) and value:
            waiting += ((f"{path}/", item) for item in value)
        elif isinstance(value, str):
            text = value.replace(own, _OWN_NAME) if own else value
            yield from ((path, line) for line in text.split("\n"))
        elif path.count("/") > 1 or value not in _NOTHING:
            yield path, str(value)
