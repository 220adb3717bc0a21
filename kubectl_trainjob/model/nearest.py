"""The nearest name, for "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_trainjob.model.message import Message, say

_TYPING_ERRORS_PER_LETTER = 1 / 3
_MOST = 400_000  # pairs of letters that are compared for one word


def nearest(word: str, candidates: Iterable[str], most: int | None = None) -> str | None:
    """The candidate that users probably meant by `word`; None if no candidate is near.

    In a near one few letters must be inserted, dropped, replaced or swapped with their neighbour: at most a third (at
    least one), or `most`. Case does not count. Of several equally near ones, the first in sorted order. Of very many or
    very long ones, only the first are compared: it is a hint.
    """
    lowered, left = word.lower(), _MOST
    limit = max(1, int(len(word) * _TYPING_ERRORS_PER_LETTER)) if most is None else most
    best, best_distance = None, limit + 1
    for candidate in sorted(candidates):
        if candidate == word or abs(len(candidate) - len(word)) >= best_distance:
            continue
        left -= len(word) * len(candidate)
        if left < 0:
            break
        distance = _distance(lowered, candidate.lower())
        if distance < min(best_distance, max(len(candidate), 1)):
            best, best_distance = candidate, distance
    return best


def did_you_mean(word: str, candidates: Iterable[str], otherwise: Message) -> Message:
    """`did you mean "…"?`, or the other advice where no candidate is near."""
    near = nearest(word, candidates)
    return say('did you mean "{}"?', near) if near else otherwise


def _distance(left: str, right: str) -> int:
    """Edits between two words; swapping two neighbours is one edit (optimal string alignment)."""
    before: list[int] = []
    above = list(range(len(right) + 1))
    for row, letter in enumerate(left, 1):
        line = [row]
        for column, other in enumerate(right, 1):
            cost = min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, above = above, line
    return above[-1]
