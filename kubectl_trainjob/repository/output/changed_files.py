"""Writes fixed files: each in one step, with its owner and permissions, if it did not change in the meantime."""

from __future__ import annotations

import codecs
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.message import say
from kubectl_trainjob.repository.files.filesystem import FileSystem
from kubectl_trainjob.repository.files.named_file import NamedFile, named_file
from kubectl_trainjob.repository.files.root import TooLargeError, UnsafePathError, reason_of
from kubectl_trainjob.repository.output.folder import open_directory

_CHANGED = say("it changed after it was read; run again")


@dataclass(frozen=True, slots=True)
class FileChange:
    """The text of a file before and after the fixes, without a byte order mark; `path` as users see it."""

    path: str
    old: str
    new: str


class _File(NamedTuple):
    """A file to write: where it is, its old bytes and the new ones."""

    shown: str
    place: NamedFile
    old: bytes
    new: bytes


def write(changes: Sequence[FileChange], disk: FileSystem) -> None:
    """Write the new texts.

    Raises EnvironmentFault. For a file that changed or a link out of the repository, nothing was written; else the
    message names the files that were written.
    """
    files = [_find_file(change, disk) for change in changes]
    written: list[str] = []
    for file in files:
        try:
            _replace(file)
        except (OSError, UnsafePathError) as error:
            done = f"these were written: {', '.join(written)}" if written else "nothing was written"
            raise EnvironmentFault(f"{file.shown}: {reason_of(error)}; {done}") from error
        written.append(file.shown)


def _find_file(change: FileChange, disk: FileSystem) -> _File:
    try:
        file = named_file(change.path, disk)
        old = _read(file)
        mark = codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b""
        if old != mark + change.old.encode():
            raise UnsafePathError(_CHANGED)
        return _File(change.path, file, old, mark + change.new.encode())
    except (OSError, ValueError, UnsafePathError) as error:
        raise EnvironmentFault(f"{change.path}: {reason_of(error)}; nothing was written") from None


def _read(file: NamedFile) -> bytes:
    try:
        return file.read(LIMITS.output_bytes)
    except TooLargeError:
        raise UnsafePathError(_CHANGED) from None


def _replace(file: _File) -> None:
    directory, name = os.path.split(file.place.inside)
    with open_directory(file.place.root) as top, top.below(directory) as folder:
        folder.remove_new()
        with folder.new_file(file.new, like=name):
            if _read(file.place) != file.old:
                raise UnsafePathError(_CHANGED)
            folder.move_new(folder, name)
