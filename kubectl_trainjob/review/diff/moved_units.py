"""Which overlay that is gone a new one is, in another directory: what runs in a cluster stays the same then."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import NamedTuple

from kubectl_trainjob.model.stages import ObjectId

_ALIKE = 0.5

UnitContents = Mapping[ObjectId, str]
"""What an overlay builds, and what each object says, in one spelling."""


class _Score(NamedTuple):
    """How alike two overlays are: the share of the objects that both build, and of those that say the same; then as
    many characters as their directories have in common at the start.
    """

    objects: float
    contents: float
    name: int


def moved(gone: Mapping[str, UnitContents], new: Mapping[str, UnitContents]) -> dict[str, str]:
    """The former directory of each overlay that moved; `gone` and `new` are what only one side has, by directory.

    At least half of what either builds must be the same objects. Nothing is said where another overlay fits as well.
    """
    scores = {(i, j): _score((i, gone[i]), (j, new[j])) for i in gone for j in new}
    fitting = {pair: score for pair, score in scores.items() if score.objects >= _ALIKE}
    best = [_best(fitting, side) for side in (0, 1)]
    return {j: i for (i, j), score in fitting.items() if best[0][i] == best[1][j] == [score]}


def _best(scores: Mapping[tuple[str, str], _Score], side: int) -> dict[str, list[_Score]]:
    """The best score of each overlay of a side, as often as it has it."""
    of_each: dict[str, list[_Score]] = {}
    for pair, score in scores.items():
        of_each.setdefault(pair[side], []).append(score)
    return {unit: [score for score in found if score == max(found)] for unit, found in of_each.items()}


def _score(gone: tuple[str, UnitContents], new: tuple[str, UnitContents]) -> _Score:
    (old_name, old), (new_name, built) = gone, new
    everything = len(old.keys() | built.keys()) or 1
    shared = old.keys() & built.keys()
    said = sum(old[each] == built[each] for each in shared)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(old_name, new_name, strict=False))
    return _Score(len(shared) / everything, said / everything, sum(1 for _ in same))
