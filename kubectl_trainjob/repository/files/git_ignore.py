"""What git ignores in the working tree: `.gitignore` of each directory, then `.git/info/exclude`. git is not run.

As for git, a file in the index is not ignored, and nothing is ignored outside of a repository. A user's own
`core.excludesFile` is not read: the result of a build does not depend on the user.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property

from kubectl_trainjob.repository.files.find_root import relative, upward
from kubectl_trainjob.repository.files.patterns import Patterns, lines_of
from kubectl_trainjob.repository.files.root import UnsafePathError, read_start

PathFilter = Callable[[str, bool], bool]
"""Whether an entry is skipped: its path from the root, and whether it is a directory."""
_LARGEST = 1 << 20  # bytes of a .gitignore
_LARGEST_INDEX = 1 << 28
_FILE = ".gitignore"
_TIMES_AND_SIZES = 40  # bytes of an index entry before the object id
_LONG_FLAGS = 0x4000


class GitIgnore:
    """What git ignores below a root, a real path; nothing without one. Directories are checked before their entries.

    Paths are relative to the root.
    """

    def __init__(self, root: str = "") -> None:
        above = upward(root) if root else []
        self._top = next((each for each in above if os.path.lexists(os.path.join(each, ".git"))), "")
        self._inside = f"{relative(self._top, root)}/" if self._top not in ("", root) else ""
        self._rules: dict[str, list[tuple[int, Patterns]]] = {}
        self._partly: set[str] = set()  # ignored directories with files in the index

    def below(self, directory: str) -> PathFilter:
        """The filter for the entries below a directory: none if git ignores it, because a user wants to have it."""
        path = (self._inside + directory).rstrip("/")
        above = [path[:end] for end, letter in enumerate(f"{path}/") if letter == "/"] if path else []
        return _nothing if not self._top or any(self._ignores(each, True) for each in above) else self

    def __call__(self, path: str, is_directory: bool) -> bool:
        """Whether git ignores an entry."""
        return bool(self._top) and self._ignores(self._inside + path, is_directory)

    def _ignores(self, path: str, is_directory: bool) -> bool:
        directory = path.rpartition("/")[0]
        if directory not in self._partly and not self._is_matched(path, directory, is_directory):
            return False
        if not self._index.has(os.fsencode(path), is_directory):
            return True
        if is_directory:
            self._partly.add(path)
        return False

    def _is_matched(self, path: str, directory: str, is_directory: bool) -> bool:
        encoded = os.fsencode(path)
        for start, patterns in self._rules_of(directory):
            decided = patterns.ignores(encoded[start:], is_directory=is_directory)
            if decided is not None:
                return decided
        return False

    def _rules_of(self, directory: str) -> list[tuple[int, Patterns]]:
        """The patterns for the entries of a directory, the nearest first, each with the length of its directory."""
        if directory not in self._rules:
            above = self._rules_of(directory.rpartition("/")[0]) if directory else self._excluded
            data = _read(os.path.join(self._top, directory, _FILE), _LARGEST)
            start = len(os.fsencode(directory)) + 1 if directory else 0
            self._rules[directory] = [(start, Patterns(lines_of(data))), *above] if data else above
        return self._rules[directory]

    @property
    def _excluded(self) -> list[tuple[int, Patterns]]:
        common = _read(os.path.join(self._git, "commondir"), _LARGEST).decode(errors="replace").strip()
        data = _read(os.path.join(self._git, common, "info", "exclude"), _LARGEST)
        return [(0, Patterns(lines_of(data)))] if data else []

    @cached_property
    def _git(self) -> str:
        """The directory of git: a linked working tree and a submodule have its path in a file."""
        path = os.path.join(self._top, ".git")
        written = _read(path, _LARGEST).decode(errors="replace").removeprefix("gitdir:").strip()
        return os.path.join(self._top, written) if written else path

    @cached_property
    def _index(self) -> _Index:
        return _Index(_read(os.path.join(self._git, "index"), _LARGEST_INDEX), self._id_bytes)

    @property
    def _id_bytes(self) -> int:
        config = _read(os.path.join(self._git, "config"), _LARGEST)
        return 32 if b"sha256" in config.lower() else 20


def _nothing(_path: str, _is_directory: bool) -> bool:
    return False


class _Index:
    """The paths in git's index, sorted (Documentation/gitformat-index: versions 2 to 4)."""

    def __init__(self, data: bytes, id_bytes: int) -> None:
        try:
            self._paths = [*_paths(data, id_bytes)]
        except (IndexError, ValueError):  # it is being written, or of a later version
            self._paths = []

    def has(self, path: bytes, is_directory: bool) -> bool:
        """Whether a file, or a file below a directory, is in the index."""
        wanted = path + b"/" if is_directory else path
        at = bisect_left(self._paths, wanted)
        found = self._paths[at : at + 1]
        return any(map(bytes.startswith, found, [wanted])) if is_directory else found == [path]


def _paths(data: bytes, id_bytes: int) -> Iterator[bytes]:
    version, count, at, path = int.from_bytes(data[4:8]), int.from_bytes(data[8:12]), 12, b""
    for _ in range(count):
        start, at = at, at + _TIMES_AND_SIZES + id_bytes
        at += 4 if int.from_bytes(data[at : at + 2]) & _LONG_FLAGS else 2
        kept = 0
        if version == 4:
            removed, at = _number(data, at)
            kept = len(path) - removed
        end = data.index(b"\0", at)
        path = path[:kept] + data[at:end]
        yield path
        at = end + 1 if version == 4 else start + (end - start + 8) // 8 * 8


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length and its end, as in offsets of packs."""
    value = data[at] & 127
    while data[at] & 128:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 127)
    return value, at + 1


def _read(path: str, most: int) -> bytes:
    """The content of a regular file, else b"": git treats links and unreadable files in this way."""
    try:
        return read_start(path, most)
    except (OSError, UnsafePathError):
        return b""
