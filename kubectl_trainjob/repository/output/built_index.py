"""The index of a directory that builds are written to: which files in it are ours, as text that sha256sum checks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256

PATH = re.compile(r"(?:[a-z0-9_][a-z0-9._-]*/)*[a-z0-9_][a-z0-9._-]*")
"""A path that may stand in an index: relative, nothing hidden, no way out."""

Index = Mapping[str, frozenset[str]]
"""A path, and the digests of what was written there or was about to be; none for a path that is not ours."""

_LINE = re.compile(rf"([0-9a-f]{{64}})  ({PATH.pattern})")


def digest(data: bytes) -> str:
    """What a file holds; git on Windows changes line ends, that is no edit."""
    return sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def parse(text: str) -> Index:
    """The index that a text holds; raises ValueError that names the line which is none of an index."""
    index: dict[str, frozenset[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = _LINE.fullmatch(line)
        if entry is None:
            raise ValueError(f"line {number} is no line of an index")
        index[entry[2]] = index.get(entry[2], frozenset()) | {entry[1]}
    return index


def union(one: Index, other: Index) -> Index:
    """What either of them knows."""
    none: frozenset[str] = frozenset()
    return {path: one.get(path, none) | other.get(path, none) for path in {*one, *other}}


def to_text(index: Index) -> str:
    """A line for each digest, in the order of the paths."""
    return "".join(f"{entry}  {path}\n" for path, entry in sorted(_entries(index)))


def _entries(index: Index) -> Iterable[tuple[str, str]]:
    return ((path, entry) for path, digests in index.items() for entry in digests)
