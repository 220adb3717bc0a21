"""A commit's tree: what stands where, by git's own objects.

A tree is what another person wrote, with whatever tool. What no file system could hold under a name (".." say, or two
entries of one name) is refused, as git refuses to check it out.
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


class Node(NamedTuple):
    """What stands under a name: git's mode, and the object's id."""

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


class Tree:
    """The tree of a commit. Paths are relative to its top, with "/" between names, "" for the top itself.

    Its functions raise EnvironmentFault for objects that are missing or broken.
    """

    def __init__(self, objects: Objects, commit: str, top: str) -> None:
        self._objects = objects
        self._top = top
        self.root = Node(stat.S_IFDIR, f"{commit}^{{tree}}")
        self._id_bytes = len(commit) // 2
        self._names: dict[str, Mapping[str, Node]] = {}
        self._files: dict[str, bytes] = {}
        self._room = _KEPT
        self._targets: dict[str, bytes] = {}

    def names(self, directory: Node) -> Mapping[str, Node]:
        """What stands in a directory."""
        if directory.mode == _SUBMODULE:
            return {}
        if directory.id not in self._names:
            self._names[directory.id] = self._read(directory.id)
        return self._names[directory.id]

    def at(self, path: str) -> Node | None:
        """What stands at a path, whose links are not followed; None where nothing does."""
        node: Node | None = self.root
        for name in filter(None, path.split("/")):
            node = self.names(node).get(name) if node is not None and node.is_directory else None
        return node

    def file(self, node: Node, most: int) -> bytes:
        """What a file holds. Raises TooLargeError.

        It is kept for the next reader, as long as there is room: each overlay reads the same jobs and runtimes.
        """
        known = self._files.get(node.id)
        if known is not None and len(known) <= most:
            return known
        data = self._objects.read(node.id, "blob", most)
        if len(data) <= self._room:
            self._room -= len(data)
            self._files[node.id] = data
        return data

    def start(self, node: Node, most: int) -> bytes:
        """The first bytes of a file."""
        return self._objects.start(node.id, most)

    def target(self, path: str) -> str | None:
        """What the link at a path says; None where there is no link. Raises OSError for one that no system takes."""
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
        """Where a path leads, whether something is there or not; None for a way out of the tree.

        Raises OSError for a circle of links.
        """
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

    def behind(self, path: str) -> Node | None:
        """What a path leads to, whose links are followed; None where nothing is, and for a way out of the tree."""
        try:
            found = self.follow(path)
        except OSError:
            return None
        return self.at(found) if found is not None else None

    def _read(self, name: str) -> Mapping[str, Node]:
        try:
            data = self._objects.read(name, "tree", _LARGEST)
            return _by_name(list(_entries(data, self._id_bytes)))
        except ValueError as error:
            raise EnvironmentFault(f'{name} is no directory of files, {error}; ask "git fsck"') from None
        except TooLargeError:
            raise EnvironmentFault(f"{name} is too large for a directory of files, nothing of it is read") from None


def _entries(data: bytes, id_bytes: int) -> Iterator[tuple[str, Node]]:
    """The entries of a tree object: "MODE NAME", NUL, the binary id. Raises ValueError."""
    at = 0
    while at < len(data):
        end = data.find(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        at = end + 1 + id_bytes
        if end < 0 or at > len(data) or not 0 < len(mode) < _LONGEST_MODE or mode.translate(None, _OCTAL):
            raise ValueError("it is broken")
        yield os.fsdecode(name), Node(int(mode, 8), data[end + 1 : at].hex())


def _by_name(entries: list[tuple[str, Node]]) -> Mapping[str, Node]:
    names = dict(entries)
    if len(names) < len(entries):
        raise ValueError("it has two entries of one name")
    odd = next((name for name in names if name in ("", ".", "..") or "/" in name), None)
    if odd is not None:
        raise ValueError(f'it has an entry "{odd}"')
    return names
