"""A repository whose files are read, and the three forms that its paths have.

real    absolute, without links: where a file is. It tells whether two ways lead to the same file.
inside  relative to the root, with "/" between names, "" for the root itself. `Files`, the patterns of what is
        ignored and the caches of a build take this form, and no other one.
shown   as people know the file: as they named it, relative to the current directory if they did. Messages and
        `SourceFile.path` have this form; nothing in a repository is opened by it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from kubectl_trainjob.repository.files.config import Config
from kubectl_trainjob.repository.files.ignore import Ignore
from kubectl_trainjob.repository.files.root import Files


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """The way to a repository's files, its own path as shown, and its configuration."""

    files: Files
    shown: str
    config: Config
    ignored: Ignore

    def inside(self, real: str) -> str:
        """The form relative to the root of a real path below it."""
        path = os.path.relpath(real, self.files.directory).replace(os.sep, "/")
        return "" if path == "." else path

    def real(self, inside: str) -> str:
        """The real path of a path inside, links apart: nothing that is read is one."""
        return os.path.normpath(os.path.join(self.files.directory, inside))

    def show(self, inside: str) -> str:
        """A path inside as shown."""
        return os.path.normpath(os.path.join(self.shown, inside))
