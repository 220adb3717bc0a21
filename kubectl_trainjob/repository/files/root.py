"""`SecureRoot`: the only access to the files of users on disk. It opens nothing outside the root.

`Files` is its interface, which the files of a commit (`revision`) also have.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from kubectl_trainjob.model.message import Message, say

LINK = say("it is a symbolic link")
SPECIAL = say("it is not a regular file")
_CHUNK = 1 << 20
# Windows has neither: there each component is checked before it is used, which a race can circumvent.
_HAS_DIRECTORY_HANDLES = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_GIT = frozenset((".git", "git~1"))  # in upper or lower case, and its short name: the same for some file systems
# The errors of different systems for opening a link, and a socket.
_LINK_ERRORS = frozenset({errno.ELOOP, errno.EMLINK, getattr(errno, "EFTYPE", errno.ELOOP)})
_SPECIAL_ERRORS = frozenset({errno.ENXIO, errno.EOPNOTSUPP})


class UnsafePathError(Exception):
    """A path inside the root that is not followed: a link, a special file, a way out. `reason` shows no content."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


class TooLargeError(Exception):
    """A file has more bytes than allowed."""


def reason_of(error: Exception) -> str:
    """The text of an error of reading or writing, without the path."""
    return "it is too large" if isinstance(error, TooLargeError) else getattr(error, "strerror", None) or str(error)


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """An entry of a directory; a link is neither file nor directory, with `leads_to_file` its target is a file."""

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
        """The entries of a directory, sorted by name; raises UnsafePathError, OSError."""

    def has(self, path: str) -> bool:
        """Whether a path exists, also as a link."""


class SecureRoot:
    """Reads below one directory. Paths are relative to it, with "/" between components, none of which may be a link.
    Directories `.git` are not read: their configuration may have credentials.

    Each component is opened with O_NOFOLLOW, relative to the handle of the one before. This also rejects a link that is
    created in the meantime. An OSError of these methods has the path as its `filename`.
    """

    def __init__(self, directory: str) -> None:
        self.directory = os.path.realpath(directory)

    def read(self, path: str, most: int) -> bytes:
        """The bytes of a regular file; raises TooLargeError beyond `most`, UnsafePathError, OSError."""
        with self._open(path, _FILE) as handle:
            return read_all(handle, most, _size(handle))

    def entries(self, path: str = "") -> list[Entry]:
        """The entries of a directory, sorted by name; raises UnsafePathError, OSError."""
        with self._open(path, _DIRECTORY) as handle:
            where = handle if _HAS_DIRECTORY_HANDLES else os.path.join(self.directory, path)
            with os.scandir(where) as found:
                return sorted(map(_entry, found))

    def has(self, path: str) -> bool:
        """Whether a path exists, also as a link."""
        return os.path.lexists(os.path.join(self.directory, path))

    def has_directory(self, path: str) -> bool:
        """Whether a directory exists."""
        try:
            with self._open(path, _DIRECTORY) as handle:
                return stat.S_ISDIR(os.fstat(handle).st_mode)
        except (UnsafePathError, OSError):
            return False

    @contextmanager
    def _open(self, path: str, flags: int) -> Iterator[int]:
        names = components(path)
        with _path_errors(path):
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
                _reject_link(os.stat(name, dir_fd=handle, follow_symlinks=False))
                raise
            finally:
                os.close(handle)
            handle = below
        return handle

    def _look_first(self, names: list[str], flags: int) -> int:
        path = self.directory
        for name in names:
            path = os.path.join(path, name)
            _reject_link(os.lstat(path))
        return os.open(path, flags | _NO_LINK)


def read_start(path: str, most: int) -> bytes:
    """The first bytes of a regular file, not of a link; raises UnsafePathError, OSError."""
    with _path_errors(path):
        _reject_link(os.lstat(path))
        handle = os.open(path, _FILE | _NO_LINK)
    try:
        _size(handle)
        return os.read(handle, most)
    finally:
        os.close(handle)


def read_all(handle: int, most: int, expected: int = 0) -> bytes:
    """The content of a file handle; raises TooLargeError for more than `most` bytes."""
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


def read_pipe(path: str, most: int) -> bytes:
    """The content of a pipe; raises TooLargeError, OSError, and UnsafePathError for a regular file."""
    with open(path, "rb", buffering=0) as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISREG(mode):
            raise UnsafePathError(say("it was replaced while it was read; run again"))
        return read_all(file.fileno(), most)


@contextmanager
def _path_errors(path: str) -> Iterator[None]:
    """Adds the path to errors of opening, and the kind of a file that is not regular."""
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
    """The names of a path. Raises UnsafePathError for a way out, and for files of git."""
    if not path:
        return []
    names = path.split("/")
    if os.path.isabs(path) or "\0" in path or any(name in ("", ".", "..") or os.sep in name for name in names):
        raise UnsafePathError(say("it leads out of the repository"))
    if any(name.casefold() in _GIT for name in names):
        raise UnsafePathError(say("it belongs to git, which may keep credentials there"))
    return names


def _size(handle: int) -> int:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise UnsafePathError(SPECIAL)
    return found.st_size


def _reject_link(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise UnsafePathError(LINK)


def _entry(found: os.DirEntry[str]) -> Entry:
    if not found.is_symlink():
        return Entry(found.name, found.is_file(follow_symlinks=False), found.is_dir(follow_symlinks=False))
    try:
        return Entry(found.name, False, False, is_link=True, leads_to_file=found.is_file())
    except OSError:  # a loop of links, or no permission
        return Entry(found.name, False, False, is_link=True)
