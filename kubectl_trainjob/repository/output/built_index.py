"""The index of a directory of builds: its built files, as text that sha256sum checks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.units import BuiltDirectory, Documents
from kubectl_trainjob.repository.files.walk import INDEX_FILE

PATH = re.compile(r"(?:[a-z0-9_][a-z0-9._-]*+/)*+[a-z0-9_][a-z0-9._-]*+")
"""A path of an index: relative, without dot files, no way out."""

Index = Mapping[str, frozenset[str]]
"""A path, and the digests of the contents that builds wrote, or were going to write."""

_LINE = re.compile(rf"([0-9a-f]{{64}})  ({PATH.pattern})")


def digest(data: bytes) -> str:
    """The digest of a content; git on Windows changes line ends, which is not an edit."""
    return sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def parse(text: str) -> Index:
    """The index of a text; raises ValueError that names an invalid line."""
    index: dict[str, set[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = _LINE.fullmatch(line)
        if entry is None:
            raise ValueError(f"line {number} is not a line of an index")
        index.setdefault(entry[2], set()).add(entry[1])
    return {path: frozenset(digests) for path, digests in index.items()}


def built_directories(readings: Iterable[Documents]) -> list[BuiltDirectory]:
    """The directories of built files in readings of one tree, each once, by path.

    Those in the working tree that git ignores are omitted: they are not applied from the repository.
    """
    found = {each.path: each for documents in readings for each in documents.built}
    return [found[path] for path in sorted(found) if not _is_ignored(found[path])]


def index_of(directory: BuiltDirectory) -> Index | None:
    """The index of a directory; None without a valid one."""
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
    """The digests of both."""
    none: frozenset[str] = frozenset()
    return {path: one.get(path, none) | other.get(path, none) for path in {*one, *other}}


def to_text(index: Index) -> str:
    """A line for each digest, in the order of the paths."""
    return "".join(f"{entry}  {path}\n" for path in sorted(index) for entry in sorted(index[path]))
