"""A commit's files, as they would be read from the working tree of that commit; nothing is checked out.

Paths are those of the working tree: `jobs/a.yaml` means the same file on both sides, relative to the current directory,
and is shown the same. What differs from the disk: contents are as git stores them (no filter makes line ends or LFS
files of them), submodules are empty, a `trainjob.yaml` above the top of the repository does not count, and a link that
leads out of the repository leads nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from errno import ENOENT, ENOTDIR

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.current import CurrentDirectory
from kubectl_trainjob.repository.files.filesystem import Named
from kubectl_trainjob.repository.files.find_root import (
    CONFIG_FILE,
    LOOKED_AT,
    DiskLinks,
    is_below,
    is_configuration,
    real_path,
    upward,
)
from kubectl_trainjob.repository.files.root import LINK, SPECIAL, Entry, Files, UnsafePathError, components
from kubectl_trainjob.repository.git.refs import Commit
from kubectl_trainjob.repository.git.tree import Node, Tree

_MOST_ENTRIES = 1_000_000  # trees that hold each other many times make endless directories of a few bytes


class NotInRevision(EnvironmentFault):
    """A PATH that a commit does not have. It may be new since then, or gone."""


class Revision:
    """The files of one commit: a `FileSystem`."""

    is_disk = False

    def __init__(self, top: str, commit: Commit, tree: Tree, current: CurrentDirectory) -> None:
        self.commit = commit
        self.current = current
        self._top = top
        self._tree = tree
        self._links = _Links(top, tree, self.root_of)

    def named(self, path: str) -> Named:
        """What a PATH leads to. Raises NotInRevision, UnsafePathError, OSError, ValueError, and EnvironmentFault for
        standard input and what lies outside of the repository.
        """
        if path == "-":
            raise EnvironmentFault(f"standard input is not in {self.commit}; name files, or two directories to compare")
        real = real_path(path, self.current, self._links)
        if not is_below(self._top, real):
            message = f'{path}: this is not in the repository "{self._top}", nor in {self.commit}'
            raise EnvironmentFault(f"{message}; name two directories instead")
        node = self._tree.at(_inside(self._top, real)) if path else None
        if node is None:
            raise NotInRevision(f"{path}: there is no such file or directory in {self.commit}")
        if not node.is_directory and not node.is_file:
            raise UnsafePathError(SPECIAL)
        return Named(real, "directory" if node.is_directory else "file")

    def root_of(self, directory: str) -> str:
        """The nearest configured directory of the commit, else the repository's top."""
        above = upward(directory)
        within = above[: above.index(self._top)] if self._top in above else []
        return next(filter(self.is_configured, within), self._top)

    def below(self, root: str) -> Files:
        """The files below a root."""
        return _CommitFiles(root, self._tree, _inside(self._top, root))

    def is_configured(self, directory: str) -> bool:
        """Whether a directory has a `trainjob.yaml` of ours, or one that cannot be looked at."""
        node = self._tree.at(f"{_inside(self._top, directory)}/{CONFIG_FILE}")
        if node is None or not node.is_file:
            return node is not None and not node.is_directory
        return is_configuration(self._tree.start(node, LOOKED_AT))


class _Links:
    """The links of a commit, and above its repository those of the disk."""

    def __init__(self, top: str, tree: Tree, root_of: Callable[[str], str]) -> None:
        self._top = top
        self._tree = tree
        self._root_of = root_of
        self._disk = DiskLinks()

    def target(self, path: str) -> str | None:
        """What the link at an absolute path says; None where there is no link."""
        if not is_below(self._top, path):
            return self._disk.target(path)
        return self._tree.target(_inside(self._top, path))

    def lead_out(self, directory: str, target: str) -> bool:
        """Whether a link in `directory` that says `target` leads out of the repository that it lies in."""
        if not is_below(self._top, directory):
            return self._disk.lead_out(directory, target)
        found = self._tree.follow(_inside(self._top, os.path.join(directory, target)))
        return found is None or not is_below(self._root_of(directory), os.path.join(self._top, found))


class _CommitFiles:
    """The files of a commit below a root: `Files`, which rejects the same paths as `SecureRoot`."""

    def __init__(self, directory: str, tree: Tree, inside: str) -> None:
        self.directory = directory
        self._tree = tree
        self._inside = inside
        self._listed = 0

    def read(self, path: str, most: int) -> bytes:
        """The bytes of a regular file; raises TooLargeError beyond `most`, UnsafePathError, OSError."""
        node = self._node(path)
        if not node.is_file:
            raise UnsafePathError(LINK if node.is_link else SPECIAL)
        return self._tree.file(node, most)

    def entries(self, path: str = "") -> list[Entry]:
        """What a directory holds, sorted by name; raises UnsafePathError, OSError."""
        names = self._below(self._node(path), path)
        self._listed += 1 + len(names)
        if self._listed > _MOST_ENTRIES:
            raise EnvironmentFault(f"{path}: more than {_MOST_ENTRIES} files and directories; name fewer of them")
        return sorted(self._entry(path, name, node) for name, node in names.items())

    def has(self, path: str) -> bool:
        """Whether anything is there, be it a link."""
        way, _, name = f"{self._inside}/{path}".rpartition("/")
        directory = self._tree.behind(way)
        return directory is not None and directory.is_directory and name in self._tree.names(directory)

    def _node(self, path: str) -> Node:
        node = self._tree.at(self._inside)
        assert node is not None
        for name in components(path):
            node = self._below(node, path).get(name)
            if node is None:
                raise FileNotFoundError(ENOENT, os.strerror(ENOENT), path)
        return node

    def _below(self, node: Node, path: str) -> Mapping[str, Node]:
        if node.is_link:
            raise UnsafePathError(LINK)
        if not node.is_directory:
            raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), path)
        return self._tree.names(node)

    def _entry(self, directory: str, name: str, node: Node) -> Entry:
        if not node.is_link:
            return Entry(name, node.is_file, node.is_directory)
        target = self._tree.behind(f"{self._inside}/{directory}/{name}")
        return Entry(name, False, False, is_link=True, leads_to_file=target is not None and target.is_file)


def _inside(top: str, real: str) -> str:
    """A real path relative to the top, with "/" between names; "" for the top itself."""
    path = os.path.relpath(real, top).replace(os.sep, "/")
    return "" if path == "." else path
