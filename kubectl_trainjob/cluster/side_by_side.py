"""Requests side by side: most of the time of an apply is waiting for answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Done = Callable[[int, int], None]

_THREADS = 8


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item], done: Done) -> list[Result]:
    """The results in the order of the items; `done` gets how many of how many are done."""
    if len(items) < 2:
        return [work(item) for item in items]
    found = []
    with ThreadPoolExecutor(min(_THREADS, len(items)), "request") as pool:
        for number, result in enumerate(pool.map(work, items)):
            done(number, len(items))
            found.append(result)
    return found
