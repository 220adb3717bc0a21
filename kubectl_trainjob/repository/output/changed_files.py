"""Writes fixed files: each in one step, with its old permissions, and only if it did not change in the meantime."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.message import say
from kubectl_trainjob.repository.files.filesystem import FileSystem
from kubectl_trainjob.repository.files.find_root import relative
from kubectl_trainjob.repository.files.root import SPECIAL, SecureRoot, TooLargeError, UnsafePathError, reason_of
from kubectl_trainjob.repository.output.folder import NEW, Folder, opened

_CHANGED = say("it changed after it was read; run again")


@dataclass(frozen=True, slots=True)
class FileChange:
    """The text of a file before and after the fixes, without a byte order mark; `path` as users see it."""

    path: str
    old: str
    new: str


class _File(NamedTuple):
    """A file to write: its root, its path below that, its old bytes and the new ones."""

    shown: str
    root: str
    inside: str
    old: bytes
    new: bytes


def write(changes: Sequence[FileChange], disk: FileSystem) -> None:
    """Write the new texts.

    Raises EnvironmentFault: with nothing written for a file that changed or a link out of the repository, else with a
    message that names the files that were written.
    """
    files = [_found(change, disk) for change in changes]
    written: list[str] = []
    for file in files:
        try:
            _replace(file)
        except (OSError, UnsafePathError) as error:
            done = f"these were written: {', '.join(written)}" if written else "nothing was written"
            raise EnvironmentFault(f"{file.shown}: {reason_of(error)}; {done}") from error
        written.append(file.shown)


def _found(change: FileChange, disk: FileSystem) -> _File:
    try:
        real, kind = disk.named(change.path)
        if kind != "file":
            raise UnsafePathError(SPECIAL)
        root = disk.root_of(os.path.dirname(real))
        inside = relative(root, real)
        old = _read(root, inside)
        mark = codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b""
        if old != mark + change.old.encode():
            raise UnsafePathError(_CHANGED)
        return _File(change.path, root, inside, old, mark + change.new.encode())
    except (OSError, ValueError, UnsafePathError) as error:
        raise EnvironmentFault(f"{change.path}: {reason_of(error)}; nothing was written") from None


def _read(root: str, inside: str) -> bytes:
    try:
        return SecureRoot(root).read(inside, LIMITS.output_bytes)
    except TooLargeError:
        raise UnsafePathError(_CHANGED) from None


def _replace(file: _File) -> None:
    directory, name = os.path.split(file.inside)
    with opened(file.root) as top, top.below(directory) as folder:
        folder.remove_new()
        with folder.new_file(file.new):
            _copy_mode(folder, name)
            if _read(file.root, file.inside) != file.old:
                raise UnsafePathError(_CHANGED)
            folder.move_new(folder, name)


def _copy_mode(folder: Folder, name: str) -> None:
    """Give the new file the permissions of the old one."""
    above = folder.path if folder.handle is None else ""
    mode = os.stat(os.path.join(above, name), dir_fd=folder.handle, follow_symlinks=False).st_mode
    os.chmod(os.path.join(above, NEW), stat.S_IMODE(mode), dir_fd=folder.handle)
