"""The index of a directory that builds are written to: which files in it are ours, as text that sha256sum checks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.units import BuiltDirectory, Documents
from kubectl_trainjob.repository.files.walk import INDEX_FILE

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


def built_directories(readings: Iterable[Documents]) -> list[BuiltDirectory]:
    """The directories of built files that readings of one tree met, each once, by path.

    Those in the working tree that git ignores are omitted: they are not applied from the repository.
    """
    found = {each.path: each for documents in readings for each in documents.built}
    return [found[path] for path in sorted(found) if not _is_ignored(found[path])]


def index_of(directory: BuiltDirectory) -> Index | None:
    """What was built; None without an index that can be read."""
    text = directory.text(INDEX_FILE)
    try:
        return None if text is None else parse(text)
    except ValueError:
        return None


def _is_ignored(directory: BuiltDirectory) -> bool:
    """Whether git ignores the index of a directory on disk and does not track it; False without git or a repository."""
    if not directory.real:
        return False
    from kubectl_trainjob.repository.git.git import Git

    index = os.path.join(directory.real, INDEX_FILE)
    try:
        return Git(directory.real).run("check-ignore", "--quiet", "--", index).code == 0
    except EnvironmentFault:
        return False


def union(one: Index, other: Index) -> Index:
    """What either of them knows."""
    none: frozenset[str] = frozenset()
    return {path: one.get(path, none) | other.get(path, none) for path in {*one, *other}}


def to_text(index: Index) -> str:
    """A line for each digest, in the order of the paths."""
    return "".join(f"{entry}  {path}\n" for path, entry in sorted(_entries(index)))


def _entries(index: Index) -> Iterable[tuple[str, str]]:
    return ((path, entry) for path, digests in index.items() for entry in digests)
