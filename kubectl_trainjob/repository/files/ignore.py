"""`ignore` of trainjob.yaml: which entries a directory read leaves out."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from functools import lru_cache


class Ignore:
    """Patterns of paths from the root: `*` and `?` stay inside one name, `**` is any number of directories.

    A pattern without a slash means an entry of that name wherever it is; a directory that matches is left out whole.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        components = [_components(pattern) for pattern in patterns]
        self._names = [_regex(last) for *way, last in components if way == ["**"] and last != "**"]
        self._patterns = [each for each in components if each[:-1] != ["**"] or each[-1] == "**"]

    def __call__(self, path: str) -> bool:
        """Whether the entry at `path`, relative to the root, is left out."""
        name = path.rpartition("/")[2]  # a directory that matches is not entered, so those above need no look
        return any(regex.match(name) for regex in self._names) or (
            bool(self._patterns) and any(_matches(path.split("/"), pattern) for pattern in self._patterns)
        )


def _components(pattern: str) -> list[str]:
    components = pattern.strip("/").split("/")
    return components if "/" in pattern.rstrip("/") else ["**", *components]


def _matches(names: list[str], pattern: list[str]) -> bool:
    """Whether all names are matched by all components; `reached` holds how many components the names so far used up."""
    reached = _skipping({0}, pattern)
    for name in names:
        stay = {at for at in reached if at < len(pattern) and pattern[at] == "**"}
        step = {at + 1 for at in reached - stay if at < len(pattern) and _regex(pattern[at]).match(name)}
        reached = _skipping(stay | step, pattern)
    return len(pattern) in reached


def _skipping(reached: set[int], pattern: list[str]) -> set[int]:
    """Also what is reached when `**` stands for no directory at all."""
    found = set(reached)
    for at in range(len(pattern)):
        if at in found and pattern[at] == "**":
            found.add(at + 1)
    return found


@lru_cache(maxsize=256)
def _regex(component: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(component))  # written without backtracking into earlier stars
