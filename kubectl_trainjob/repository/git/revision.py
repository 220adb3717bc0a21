"""The files of a commit, as in its working tree; nothing is checked out.

Paths are those of the working tree: `jobs/a.yaml` is the same file in base and head, relative to the current directory.
Differences from the disk: contents are as git stores them (no filter for line ends or LFS), and submodules are empty. A
`trainjob.yaml` above the top of the repository is ignored. A link out of the repository has no target.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from errno import ENOENT, ENOTDIR

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.filesystem import PathTarget
from kubectl_trainjob.repository.files.find_root import (
    CONFIG_FILE,
    LOOKED_AT,
    CurrentDirectory,
    DiskLinks,
    is_below,
    is_configuration,
    real_path,
    relative,
    upward,
)
from kubectl_trainjob.repository.files.git_ignore import GitIgnore
from kubectl_trainjob.repository.files.root import LINK, SPECIAL, Entry, Files, UnsafePathError, components
from kubectl_trainjob.repository.git.tree import GitEntry, GitTree

_MOST_ENTRIES = 1_000_000  # a few bytes of trees that contain each other often are endless directories
_SHORT = 12


class NotInRevision(EnvironmentFault):
    """A PATH that does not exist in a commit: it is newer, or removed."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit by its whole id; `name` is the name that the user wrote."""

    id: str
    name: str

    def __str__(self) -> str:
        short = self.id[:_SHORT]
        return short if self.id.startswith(self.name) else f"{self.name} ({short})"


class Revision:
    """The files of one commit: a `FileSystem`."""

    is_disk = False

    def __init__(self, top: str, commit: Commit, tree: GitTree, current: CurrentDirectory) -> None:
        self.commit = commit
        self.current = current
        self._top = top
        self._tree = tree
        self._links = _CommitLinks(top, tree, self.root_of)

    def named(self, path: str) -> PathTarget:
        """The target of a PATH.

        Raises NotInRevision, UnsafePathError, OSError, ValueError, and EnvironmentFault for standard input and paths
        outside of the repository.
        """
        if path == "-":
            raise EnvironmentFault(f"standard input is not in {self.commit}; pass files, or two directories to compare")
        real = real_path(path, self.current, self._links)
        if not is_below(self._top, real):
            message = f'{path}: it is not in the repository "{self._top}" of {self.commit}'
            raise EnvironmentFault(f"{message}; pass two directories instead")
        node = self._tree.at(relative(self._top, real)) if path else None
        if node is None:
            raise NotInRevision(f"{path}: no such file or directory in {self.commit}")
        if not node.is_directory and not node.is_file:
            raise UnsafePathError(SPECIAL)
        return PathTarget(real, "directory" if node.is_directory else "file")

    def root_of(self, directory: str) -> str:
        """The nearest configured directory of the commit, else the repository's top."""
        above = upward(directory)
        within = above[: above.index(self._top)] if self._top in above else []
        return next(filter(self.is_configured, within), self._top)

    def below(self, root: str) -> Files:
        """The files below a root."""
        return _CommitFiles(root, self._tree, relative(self._top, root))

    def is_configured(self, directory: str) -> bool:
        """Whether a directory has a `trainjob.yaml` of this tool, or one that cannot be read."""
        node = self._tree.at(f"{relative(self._top, directory)}/{CONFIG_FILE}")
        if node is None or not node.is_file:
            return node is not None and not node.is_directory
        return is_configuration(self._tree.start(node, LOOKED_AT))

    def git_ignore(self, _root: str) -> GitIgnore:
        """Nothing: git ignores no file of a commit."""
        return GitIgnore()


class _CommitLinks(DiskLinks):
    """The links of a commit, and above its repository those of the disk."""

    def __init__(self, top: str, tree: GitTree, root_of: Callable[[str], str]) -> None:
        self._top = top
        self._tree = tree
        self._root_of = root_of

    def target(self, path: str) -> str | None:
        if not is_below(self._top, path):
            return super().target(path)
        return self._tree.target(relative(self._top, path))

    def lead_out(self, directory: str, target: str) -> bool:
        if not is_below(self._top, directory):
            return super().lead_out(directory, target)
        found = self._tree.follow(relative(self._top, os.path.join(directory, target)))
        return found is None or not is_below(self._root_of(directory), os.path.join(self._top, found))


class _CommitFiles:
    """The files of a commit below a root: `Files`, which rejects the same paths as `SecureRoot`."""

    def __init__(self, directory: str, tree: GitTree, inside: str) -> None:
        self.directory = directory
        self._tree = tree
        self._inside = inside
        self._listed = 0

    def read(self, path: str, most: int) -> bytes:
        node = self._node(path)
        if not node.is_file:
            raise UnsafePathError(LINK if node.is_link else SPECIAL)
        return self._tree.file(node, most)

    def entries(self, path: str = "") -> list[Entry]:
        names = self._below(self._node(path), path)
        self._listed += 1 + len(names)
        if self._listed > _MOST_ENTRIES:
            raise EnvironmentFault(f"{path}: more than {_MOST_ENTRIES} files and directories; pass fewer of them")
        return sorted(self._entry(path, name, node) for name, node in names.items())

    def has(self, path: str) -> bool:
        way, _, name = f"{self._inside}/{path}".rpartition("/")
        directory = self._tree.resolve(way)
        return directory is not None and directory.is_directory and name in self._tree.names(directory)

    def _node(self, path: str) -> GitEntry:
        node = self._tree.at(self._inside)
        assert node is not None
        for name in components(path):
            node = self._below(node, path).get(name)
            if node is None:
                raise FileNotFoundError(ENOENT, os.strerror(ENOENT), path)
        return node

    def _below(self, node: GitEntry, path: str) -> Mapping[str, GitEntry]:
        if node.is_link:
            raise UnsafePathError(LINK)
        if not node.is_directory:
            raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), path)
        return self._tree.names(node)

    def _entry(self, directory: str, name: str, node: GitEntry) -> Entry:
        if not node.is_link:
            return Entry(name, node.is_file, node.is_directory)
        target = self._tree.resolve(f"{self._inside}/{directory}/{name}")
        return Entry(name, False, False, is_link=True, leads_to_file=target is not None and target.is_file)
