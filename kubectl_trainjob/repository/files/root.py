"""`SecureRoot`: the one way to a user's files on disk. Nothing outside the root is opened, whatever lies inside it.

`Files` is what there is to ask of it, and of a commit's files (`revision`) alike.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

LINK = "it is a symbolic link"
SPECIAL = "it is no regular file"
_CHUNK = 1 << 20
# Windows has neither: there each component is looked at before it is used, which a race could get around.
_HAS_DIRECTORY_HANDLES = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_GIT = frozenset((".git", "git~1"))  # in any case, and by its short name, as file systems take them for the same
# Systems differ in what they answer when a link, and a socket, is opened.
_LINK_ERRORS = frozenset({errno.ELOOP, errno.EMLINK, getattr(errno, "EFTYPE", errno.ELOOP)})
_SPECIAL_ERRORS = frozenset({errno.ENXIO, errno.EOPNOTSUPP})


class UnsafePathError(Exception):
    """A path inside the root that is not followed: a link, a special file, a way out. Says nothing of its content."""


class TooLargeError(Exception):
    """A file has more bytes than allowed."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """What a directory holds; a link is neither file nor directory, `leads_to_file` says whether it goes to a file."""

    name: str
    is_file: bool
    is_directory: bool
    is_link: bool = False
    leads_to_file: bool = False


class Files(Protocol):
    """The files below a directory. Paths are relative to it, with "/" between components; none of these is a link."""

    @property
    def directory(self) -> str:
        """Its real path."""

    def read(self, path: str, most: int) -> bytes:
        """The bytes of a regular file; raises TooLargeError beyond `most`, UnsafePathError, OSError."""

    def entries(self, path: str = "") -> list[Entry]:
        """What a directory holds, sorted by name; raises UnsafePathError, OSError."""

    def has(self, path: str) -> bool:
        """Whether anything is there, be it a link."""


class SecureRoot:
    """Reads below one directory. Paths are relative to it, with "/" between components, none of which may be a link.
    What lies in a folder `.git` is not read either: its configuration may hold credentials.

    Opening goes component by component with O_NOFOLLOW, relative to the handle of the one before, so that a link put
    in place meanwhile is refused as well. An OSError of these methods has the path as its `filename`.
    """

    def __init__(self, directory: str) -> None:
        self.directory = os.path.realpath(directory)

    def read(self, path: str, most: int) -> bytes:
        """The bytes of a regular file; raises TooLargeError beyond `most`, UnsafePathError, OSError."""
        with self._open(path, _FILE) as handle:
            return read_all(handle, most, _size(handle))

    def entries(self, path: str = "") -> list[Entry]:
        """What a directory holds, sorted by name; raises UnsafePathError, OSError."""
        with self._open(path, _DIRECTORY) as handle:
            where = handle if _HAS_DIRECTORY_HANDLES else os.path.join(self.directory, path)
            with os.scandir(where) as found:
                return sorted(map(_entry, found))

    def has(self, path: str) -> bool:
        """Whether anything is there, be it a link."""
        return os.path.lexists(os.path.join(self.directory, path))

    def has_directory(self, path: str) -> bool:
        """Whether a directory is there."""
        try:
            with self._open(path, _DIRECTORY) as handle:
                return stat.S_ISDIR(os.fstat(handle).st_mode)
        except (UnsafePathError, OSError):
            return False

    @contextmanager
    def _open(self, path: str, flags: int) -> Iterator[int]:
        names = components(path)
        with _named(path):
            handle = self._descend(names, flags) if _HAS_DIRECTORY_HANDLES else self._look_first(names, flags)
        try:
            yield handle
        finally:
            os.close(handle)

    def _descend(self, names: list[str], flags: int) -> int:
        if not names:
            return os.open(self.directory, flags | _NO_LINK)
        handle = os.open(self.directory, _DIRECTORY | _NO_LINK)
        for number, name in enumerate(names, 1):
            last = number == len(names)
            try:
                below = os.open(name, (flags if last else _DIRECTORY) | _NO_LINK, dir_fd=handle)
            except NotADirectoryError:
                _refuse_link(os.stat(name, dir_fd=handle, follow_symlinks=False))
                raise
            finally:
                os.close(handle)
            handle = below
        return handle

    def _look_first(self, names: list[str], flags: int) -> int:
        path = self.directory
        for name in names:
            path = os.path.join(path, name)
            _refuse_link(os.lstat(path))
        return os.open(path, flags | _NO_LINK)


def read_start(path: str, most: int) -> bytes:
    """The first bytes of a regular file, which is no link; raises UnsafePathError, OSError."""
    with _named(path):
        _refuse_link(os.lstat(path))
        handle = os.open(path, _FILE | _NO_LINK)
    try:
        _size(handle)
        return os.read(handle, most)
    finally:
        os.close(handle)


def read_all(handle: int, most: int, expected: int = 0) -> bytes:
    """Everything behind a file handle; raises TooLargeError as soon as that is more than `most` bytes."""
    if expected > most:
        raise TooLargeError
    parts: list[bytes] = []
    size = 0
    while part := os.read(handle, _CHUNK):
        size += len(part)
        if size > most:
            raise TooLargeError
        parts.append(part)
    return b"".join(parts)


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Errors of opening say which path it was, and call a link a link."""
    try:
        yield
    except OSError as error:
        if error.errno in _LINK_ERRORS:
            raise UnsafePathError(LINK) from None
        if error.errno in _SPECIAL_ERRORS:
            raise UnsafePathError(SPECIAL) from None
        error.filename = path
        raise


def components(path: str) -> list[str]:
    """The names that a path goes through. Raises UnsafePathError for a way out, and for what belongs to git."""
    if not path:
        return []
    names = path.split("/")
    if os.path.isabs(path) or "\0" in path or any(name in ("", ".", "..") or os.sep in name for name in names):
        raise UnsafePathError("it does not stay inside the repository")
    if any(name.casefold() in _GIT for name in names):
        raise UnsafePathError("it belongs to git itself, which keeps credentials there")
    return names


def _size(handle: int) -> int:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise UnsafePathError(SPECIAL)
    return found.st_size


def _refuse_link(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise UnsafePathError(LINK)


def _entry(found: os.DirEntry[str]) -> Entry:
    if not found.is_symlink():
        return Entry(found.name, found.is_file(follow_symlinks=False), found.is_dir(follow_symlinks=False))
    try:
        return Entry(found.name, False, False, is_link=True, leads_to_file=found.is_file())
    except OSError:  # a loop of links, or a way that is closed to us
        return Entry(found.name, False, False, is_link=True)
