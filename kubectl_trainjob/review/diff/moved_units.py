"""The former directory of an overlay that was moved: its objects in a cluster stay the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import product, takewhile
from typing import NamedTuple

from kubectl_trainjob.compiler.prepare import PreparedUnit
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.stages import ObjectId

_ALIKE = 0.5
_MOST = 100_000  # objects that are compared

UnitContents = Mapping[ObjectId, str]
"""The objects of an overlay, each in one spelling."""


class _Score(NamedTuple):
    """The likeness of two overlays: the share of objects that both have, and of those with the same content; then the
    number of characters that their directories have in common at the start.
    """

    objects: float
    contents: float
    name: int


def contents_of(prepared: PreparedUnit) -> UnitContents:
    """The objects of one tree after overlays, before TrainJobs are compiled."""
    others = (each for each in prepared.manifests if not is_runtime(each))
    manifests = [*(job.manifest for job in prepared.jobs), *others]
    return {each.id: json.dumps(each.body, sort_keys=True, default=str) for each in manifests}


def find_moved(removed: Mapping[str, UnitContents], added: Mapping[str, UnitContents]) -> dict[str, str]:
    """The former directory of each overlay that was moved; the arguments are overlays of only one tree, by directory.

    At least half of the objects of either one must be the same. If another overlay fits as well, there is no result.
    Of very many, only overlays without any change are found.
    """
    is_short = len(removed) * sum(map(len, added.values())) <= _MOST
    pairs: Iterable[tuple[str, str]] = product(removed, added) if is_short else _equal(removed, added)
    scores = {(i, j): _score((i, removed[i]), (j, added[j])) for i, j in pairs}
    fitting = {pair: score for pair, score in scores.items() if score.objects >= _ALIKE}
    best = [_best(fitting, side) for side in (0, 1)]
    return {j: i for (i, j), score in fitting.items() if best[0][i] == best[1][j] == [score]}


def _equal(removed: Mapping[str, UnitContents], added: Mapping[str, UnitContents]) -> Iterator[tuple[str, str]]:
    """The pairs with the same contents, which no third overlay has."""
    old, new = (group((frozenset(side[name].items()), name) for name in side) for side in (removed, added))
    return ((old[each][0], new[each][0]) for each in old if len(old[each]) == len(new.get(each, ())) == 1)


def _best(scores: Mapping[tuple[str, str], _Score], side: int) -> dict[str, list[_Score]]:
    """The best score of each overlay of a tree, as many times as it occurs."""
    of_each = group((pair[side], score) for pair, score in scores.items())
    return {unit: [max(found)] * found.count(max(found)) for unit, found in of_each.items()}


def _score(removed: tuple[str, UnitContents], added: tuple[str, UnitContents]) -> _Score:
    (old_name, old), (new_name, new) = removed, added
    every = len(old.keys() | new.keys()) or 1
    shared = old.keys() & new.keys()
    equal = sum(old[each] == new[each] for each in shared)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(old_name, new_name, strict=False))
    return _Score(len(shared) / every, equal / every, sum(1 for _ in same))
