"""Writes a file that a user names: a report or a baseline. The old file stays whole until the new one is."""

from __future__ import annotations

import os
import stat

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.repository.files.find_root import CurrentDirectory, DiskLinks, real_path
from kubectl_trainjob.repository.files.root import UnsafePathError, reason_of
from kubectl_trainjob.repository.output.folder import open_directory

_HANDLES = ("/dev/", "/proc/")  # `/dev/stdout` also if it leads to a file: replacing that would lose other output


class _NoLinks(DiskLinks):
    """The authors of a repository, who choose the targets of its links, do not choose the files that are written."""

    all_inside = True


def write_named(path: str, data: bytes, current: CurrentDirectory) -> None:
    """Write a file in one step, or directly if it is a pipe or a device. Raises EnvironmentFault."""
    try:
        real = real_path(path, current, _NoLinks())
        if _is_stream(current.join(path)):
            with open(current.join(path), "wb") as stream:
                stream.write(data)
            return
        directory, name = os.path.split(real)
        with open_directory(directory) as folder:
            folder.remove_new()
            with folder.new_file(data, like=name if os.path.lexists(real) else ""):
                folder.move_new(folder, name)
    except (OSError, ValueError, UnsafePathError) as error:
        raise EnvironmentFault(f"{path}: {reason_of(error)}") from None


def _is_stream(path: str) -> bool:
    if path.startswith(_HANDLES):
        return True
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
