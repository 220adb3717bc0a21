"""Writing below one directory: whole files or none, and never through a link that lies in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from errno import ENOTDIR

# Windows has no handles of directories: there each component is looked at before it is used.
_HAS_HANDLES = {os.open, os.mkdir, os.rename, os.rmdir, os.unlink} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | _NO_LINK


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory, by its handle or, where the system has none, by its path. Everything raises OSError."""

    path: str
    handle: int | None = None

    @contextmanager
    def below(self, path: str, *, make: bool = False) -> Iterator[Folder]:
        """The folder at a relative path ("" is this one), whose missing parts are made if asked for."""
        with ExitStack() as open_folders:
            folder = self
            for name in filter(None, path.split("/")):
                if make:
                    folder._make(name)
                folder = open_folders.enter_context(folder._child(name))
            yield folder

    def create(self, name: str, data: bytes) -> None:
        """Write a file that is not there yet, with the rights that the umask leaves."""
        with open(os.open(self._at(name), _NEW_FILE, 0o666, dir_fd=self.handle), "wb") as file:
            file.write(data)

    def move(self, name: str, folder: Folder, new_name: str) -> None:
        """Give a file another place in one step; what stood there is gone."""
        source, destination = self._at(name), folder._at(new_name)
        os.replace(source, destination, src_dir_fd=self.handle, dst_dir_fd=folder.handle)

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self._at(name), dir_fd=self.handle)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._at(name), dir_fd=self.handle)

    def _make(self, name: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(self._at(name), dir_fd=self.handle)

    @contextmanager
    def _child(self, name: str) -> Iterator[Folder]:
        path = os.path.join(self.path, name)
        if self.handle is None:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR))
            yield Folder(path)
            return
        handle = os.open(name, _DIRECTORY, dir_fd=self.handle)
        try:
            yield Folder(path, handle)
        finally:
            os.close(handle)

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name) if self.handle is None else name


@contextmanager
def opened(directory: str) -> Iterator[Folder]:
    """A directory to write below; where the system can, nobody else has it opened so at the same time."""
    if not _HAS_HANDLES:
        yield Folder(directory)
        return
    handle = os.open(directory, _DIRECTORY)
    try:
        _wait_for_others(handle)
        yield Folder(directory, handle)
    finally:
        os.close(handle)


def _wait_for_others(handle: int) -> None:
    with suppress(ImportError, OSError):  # some network file systems have no locks
        from fcntl import LOCK_EX, flock

        flock(handle, LOCK_EX)
