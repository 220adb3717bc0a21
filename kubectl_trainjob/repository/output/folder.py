"""Writes below one directory: whole files or none, and never through a link in it."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from errno import ENOTDIR

from kubectl_trainjob.repository.files.find_root import upward

NEW = ".kubectl-trainjob-new"
"""The name of a file while it is written; only a crash or SIGKILL leaves one."""

# Windows has no handles of directories: each component is checked before it is used.
_HAS_HANDLES = {os.open, os.mkdir, os.rename, os.rmdir, os.unlink} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK | getattr(os, "O_NOFOLLOW_ANY", 0)
_PASSED = _DIRECTORY | getattr(os, "O_PATH", 0)  # a directory above, which need not be readable
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | _NO_LINK


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory, by its handle or, where the system has none, by its path. All methods raise OSError."""

    path: str
    handle: int | None = None

    @contextmanager
    def below(self, path: str, *, make: bool = False) -> Iterator[Folder]:
        """The directory at a relative path, "" for this one; with `make` missing directories are created."""
        with ExitStack() as open_folders:
            folder = self
            for name in filter(None, path.split("/")):
                if make:
                    folder._make(name)
                folder = open_folders.enter_context(folder._child(name))
            yield folder

    def create(self, name: str, data: bytes, like: str = "") -> None:
        """Write a file that does not exist yet, to the disk itself.

        It has the permissions that the umask allows, or the owner, permissions and attributes of the file `like`.
        """
        mode = 0o600 if like else 0o666
        with open(os.open(self._at(name), _NEW_FILE, mode, dir_fd=self.handle), "wb") as file:
            file.write(data)
            file.flush()
            if like:
                self._copy_attributes(like, file.fileno())
            os.fsync(file.fileno())

    @contextmanager
    def new_file(self, data: bytes, like: str = "") -> Iterator[None]:
        """A file `NEW`, which an error inside the context removes; `like` as in `create`."""
        try:
            self.create(NEW, data, like)
            yield
        except BaseException:
            with suppress(OSError):
                self.remove(NEW)
            raise

    def move_new(self, folder: Folder, name: str) -> None:
        """Move the file `NEW` to another name in one step, over an existing file."""
        os.replace(self._at(NEW), folder._at(name), src_dir_fd=self.handle, dst_dir_fd=folder.handle)

    def remove_new(self) -> None:
        """Remove the file that a crash left. An OSError names it: a repository may have a directory of this name."""
        try:
            self.remove(NEW)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise OSError(error.errno, f"cannot remove {NEW}: {error.strerror}") from None

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self._at(name), dir_fd=self.handle)

    def remove_folder(self, name: str) -> None:
        """Remove an empty directory."""
        os.rmdir(self._at(name), dir_fd=self.handle)

    def _copy_attributes(self, name: str, new: int) -> None:
        """Copy the metadata of a file to another one, as far as the system and the user's rights allow."""
        old = os.open(self._at(name), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_LINK, dir_fd=self.handle)
        try:
            found = os.fstat(old)
            if sys.platform != "win32":
                with suppress(PermissionError):
                    os.fchown(new, found.st_uid, found.st_gid)
                os.fchmod(new, stat.S_IMODE(found.st_mode))  # after fchown, which takes bits away
            if sys.platform == "linux":
                for attribute in os.listxattr(old):
                    with suppress(OSError):
                        os.setxattr(new, attribute, os.getxattr(old, attribute))
        finally:
            os.close(old)

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


def make_directory(path: str) -> None:
    """Create a directory and those above it where they are missing. Raises OSError."""
    with suppress(FileNotFoundError):
        os.stat(path)  # nothing is created for a path that is too long
    for each in reversed(upward(path)):  # os.makedirs calls itself for each: a path may have too many
        try:
            if not os.path.isdir(each):
                os.mkdir(each)
        except FileExistsError:
            if not os.path.isdir(each):  # another process has just created it
                raise


@contextmanager
def open_directory(directory: str) -> Iterator[Folder]:
    """A real directory to write below; where the system can, one process at a time has it open.

    Raises OSError for a link in its path, which was put there after the path was resolved.
    """
    with end_in_order():
        if not _HAS_HANDLES:
            yield Folder(directory)
            return
        handle = _open_real(directory)
        try:
            _wait_for_others(handle)
            yield Folder(directory, handle)
        finally:
            os.close(handle)


@contextmanager
def end_in_order() -> Iterator[None]:
    """SIGTERM and SIGHUP end the program like an interrupt: what was begun is removed."""
    numbers = [each for name in ("SIGTERM", "SIGHUP") if (each := getattr(signal, name, None)) is not None]
    is_main = threading.current_thread() is threading.main_thread()
    own = [each for each in numbers if is_main and signal.getsignal(each) is signal.SIG_DFL]
    for each in own:
        signal.signal(each, _end)
    try:
        yield
    finally:
        for each in own:
            signal.signal(each, signal.SIG_DFL)


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _open_real(directory: str) -> int:
    start, *names = directory.split(os.sep) if hasattr(os, "O_PATH") else [directory]
    handle = os.open(start or os.sep, _PASSED if names else _DIRECTORY)
    for number, name in enumerate(names, 1):
        above = handle
        try:
            handle = os.open(name or ".", _DIRECTORY if number == len(names) else _PASSED, dir_fd=above)
        finally:
            os.close(above)
    return handle


def _wait_for_others(handle: int) -> None:
    with suppress(ImportError, OSError):  # some network file systems have no locks
        from fcntl import LOCK_EX, flock

        flock(handle, LOCK_EX)
