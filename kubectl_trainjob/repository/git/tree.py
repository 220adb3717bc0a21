"""The tree of a commit, read from git's objects.

Another user may have written it with any tool. Entries that no file system can have are rejected, as by git's checkout:
`..`, or two entries of one name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from errno import EINVAL, ELOOP
from typing import NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.find_root import MOST_LINKS
from kubectl_trainjob.repository.files.root import TooLargeError
from kubectl_trainjob.repository.git.objects import Objects

_LARGEST = 32 << 20  # bytes of one tree object
_LONGEST_LINK = 4096
_KEPT = 32 << 20  # bytes of files
_SUBMODULE = 0o160000
_LONGEST_MODE = 8
_OCTAL = b"01234567"


class GitEntry(NamedTuple):
    """The entry of a name: git's mode, and the id of the object."""

    mode: int
    id: str

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file, executable or not."""
        return stat.S_ISREG(self.mode)

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory; a submodule is an empty one."""
        return stat.S_ISDIR(self.mode) or self.mode == _SUBMODULE

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.mode)


class GitTree:
    """The tree of a commit. Paths are relative to its top, with "/" between names, "" for the top itself.

    Its functions raise EnvironmentFault for objects that are missing or broken.
    """

    def __init__(self, objects: Objects, commit: str, top: str) -> None:
        self._objects = objects
        self._top = top
        self.root = GitEntry(stat.S_IFDIR, f"{commit}^{{tree}}")
        self._id_bytes = len(commit) // 2
        self._names: dict[str, Mapping[str, GitEntry]] = {}
        self._files: dict[str, bytes] = {}
        self._room = _KEPT
        self._targets: dict[str, bytes] = {}

    def names(self, directory: GitEntry) -> Mapping[str, GitEntry]:
        """The entries of a directory."""
        if directory.mode == _SUBMODULE:
            return {}
        if directory.id not in self._names:
            self._names[directory.id] = self._read(directory.id)
        return self._names[directory.id]

    def at(self, path: str) -> GitEntry | None:
        """The entry of a path, whose links are not followed; None for no entry."""
        node: GitEntry | None = self.root
        for name in filter(None, path.split("/")):
            node = self.names(node).get(name) if node is not None and node.is_directory else None
        return node

    def file(self, node: GitEntry, most: int) -> bytes:
        """The content of a file, kept while there is room: overlays read the same files. Raises TooLargeError."""
        known = self._files.get(node.id)
        if known is not None and len(known) <= most:
            return known
        data = self._objects.read(node.id, "blob", most)
        if len(data) <= self._room:
            self._room -= len(data)
            self._files[node.id] = data
        return data

    def start(self, node: GitEntry, most: int) -> bytes:
        """The first bytes of a file."""
        return self._objects.start(node.id, most)

    def target(self, path: str) -> str | None:
        """The target of the link at a path; None without a link. Raises OSError for an invalid link."""
        node = self.at(path)
        if node is None or not node.is_link:
            return None
        if node.id not in self._targets:
            self._targets[node.id] = self._objects.start(node.id, _LONGEST_LINK)
        text = self._targets[node.id]
        if not text or b"\0" in text or len(text) == _LONGEST_LINK:
            raise OSError(EINVAL, os.strerror(EINVAL), path)
        return os.fsdecode(text)

    def follow(self, path: str) -> str | None:
        """The path without links, existing or not; None for a way out of the tree. Raises OSError for a loop."""
        here: list[str] = []
        steps, followed = path.split("/")[::-1], 0
        while steps:
            step = steps.pop()
            if step == "..":
                if not here:
                    return None
                here.pop()
            elif step not in ("", "."):
                target = self.target("/".join((*here, step)))
                if target is None:
                    here.append(step)
                    continue
                followed += 1
                if followed > MOST_LINKS:
                    raise OSError(ELOOP, os.strerror(ELOOP), path)
                if os.path.isabs(target):
                    here, target = [], os.path.relpath(target, self._top).replace(os.sep, "/")
                steps += target.split("/")[::-1]
        return "/".join(here)

    def resolve(self, path: str) -> GitEntry | None:
        """The entry of a path, whose links are followed; None for no entry, and for a way out of the tree."""
        try:
            found = self.follow(path)
        except OSError:
            return None
        return self.at(found) if found is not None else None

    def _read(self, name: str) -> Mapping[str, GitEntry]:
        try:
            return _by_name(list(_entries(self._objects.read(name, "tree", _LARGEST), self._id_bytes)))
        except ValueError as error:
            raise EnvironmentFault(f'{name} is not a valid git tree, {error}; run "git fsck"') from None
        except TooLargeError:
            raise EnvironmentFault(f"{name} is too large for a git tree; pass two directories instead") from None


def _entries(data: bytes, id_bytes: int) -> Iterator[tuple[str, GitEntry]]:
    """The entries of a tree object: "MODE NAME", NUL, the binary id. Raises ValueError."""
    at = 0
    while at < len(data):
        end = data.find(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        at = end + 1 + id_bytes
        if end < 0 or at > len(data) or not 0 < len(mode) < _LONGEST_MODE or mode.translate(None, _OCTAL):
            raise ValueError("it is broken")
        yield os.fsdecode(name), GitEntry(int(mode, 8), data[end + 1 : at].hex())


def _by_name(entries: list[tuple[str, GitEntry]]) -> Mapping[str, GitEntry]:
    names = dict(entries)
    if len(names) < len(entries):
        raise ValueError("it has two entries of one name")
    odd = next((name for name in names if name in ("", ".", "..") or "/" in name), None)
    if odd is not None:
        raise ValueError(f'it has an entry "{odd}"')
    return names
