"""One regular file that a user names, read like all files: with a limit, and not through a link out of a repository."""

from __future__ import annotations

import os
from typing import NamedTuple

from kubectl_trainjob.repository.files.filesystem import FileSystem
from kubectl_trainjob.repository.files.find_root import relative
from kubectl_trainjob.repository.files.root import SPECIAL, SecureRoot, UnsafePathError


class NamedFile(NamedTuple):
    """The root of a file, a real path, and the path of the file below it."""

    root: str
    inside: str

    def read(self, most: int) -> bytes:
        """Its bytes; raises TooLargeError beyond `most`, UnsafePathError, OSError."""
        return SecureRoot(self.root).read(self.inside, most)


def named_file(path: str, files: FileSystem) -> NamedFile:
    """The file of a path. Raises UnsafePathError, also for a pipe or a device, OSError, ValueError."""
    real, kind = files.named(path)
    if kind != "file":
        raise UnsafePathError(SPECIAL)
    root = files.root_of(os.path.dirname(real))
    return NamedFile(root, relative(root, real))
