"""Fixed files onto the disk: each as a whole, in one step, with the rights it had; none that was changed meanwhile."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.repository.files.filesystem import FileSystem
from kubectl_trainjob.repository.files.root import SecureRoot, TooLargeError, UnsafePathError
from kubectl_trainjob.repository.output.folder import Folder, opened

_NEW = ".kubectl-trainjob-new"  # what is being written, until it gets its name; all that a crash can leave
_CHANGED = "it was changed since it was read; run again"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file's text before and after the fixes, without a byte order mark; `path` as it is shown to people."""

    path: str
    old: str
    new: str


class _File(NamedTuple):
    """A file to write: its root, its path below that, the bytes that are there and the new ones."""

    shown: str
    root: str
    inside: str
    old: bytes
    new: bytes


def write(changes: Sequence[FileChange], disk: FileSystem) -> None:
    """Write the new texts. Raises EnvironmentFault: with nothing written where some file is not as it was read, or
    where a link leads out of the repository; else the message says which files are written.
    """
    files = [_found(change, disk) for change in changes]
    written: list[str] = []
    for file in files:
        try:
            _replace(file)
        except (OSError, UnsafePathError) as error:
            done = f"these were written: {', '.join(written)}" if written else "nothing was written"
            raise EnvironmentFault(f"{file.shown}: {getattr(error, 'strerror', None) or error}; {done}") from error
        written.append(file.shown)


def _found(change: FileChange, disk: FileSystem) -> _File:
    try:
        real, kind = disk.named(change.path)
        if kind != "file":
            raise UnsafePathError("it is no regular file")
        root = disk.root_of(os.path.dirname(real))
        inside = os.path.relpath(real, root).replace(os.sep, "/")
        old = _read(root, inside)
        mark = codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b""
        if old != mark + change.old.encode():
            raise UnsafePathError(_CHANGED)
        return _File(change.path, root, inside, old, mark + change.new.encode())
    except (OSError, ValueError, UnsafePathError) as error:
        reason = getattr(error, "strerror", None) or error
        raise EnvironmentFault(f"{change.path}: {reason}; nothing was written") from None


def _read(root: str, inside: str) -> bytes:
    try:
        return SecureRoot(root).read(inside, LIMITS.output_bytes)
    except TooLargeError:
        raise UnsafePathError(_CHANGED) from None


def _replace(file: _File) -> None:
    directory, name = os.path.split(file.inside)
    with opened(file.root) as top, top.below(directory) as folder:
        with suppress(FileNotFoundError):
            folder.remove(_NEW)
        try:
            folder.create(_NEW, file.new)
            _copy_mode(folder, name)
            if _read(file.root, file.inside) != file.old:
                raise UnsafePathError(_CHANGED)
            folder.move(_NEW, folder, name)
        except BaseException:
            with suppress(OSError):
                folder.remove(_NEW)
            raise


def _copy_mode(folder: Folder, name: str) -> None:
    """The new file gets the rights of the old one."""
    if folder.handle is None:
        mode = os.lstat(os.path.join(folder.path, name)).st_mode
        os.chmod(os.path.join(folder.path, _NEW), stat.S_IMODE(mode))
        return
    mode = os.stat(name, dir_fd=folder.handle, follow_symlinks=False).st_mode
    os.chmod(_NEW, stat.S_IMODE(mode), dir_fd=folder.handle)
