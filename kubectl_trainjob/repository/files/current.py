"""The directory that relative paths of a run begin in. Nothing else below the commands knows the process's own."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CurrentDirectory:
    """`path` is absolute."""

    path: str

    def join(self, path: str) -> str:
        """A path to open, "" unchanged: no file has that name. Names stay as they are, since ".." may follow a link."""
        return os.path.join(self.path, path) if path else path

    def absolute(self, path: str) -> str:
        """The absolute path, without "." and ".."."""
        return os.path.normpath(os.path.join(self.path, path))

    def relative(self, path: str) -> str:
        """The path from here."""
        return os.path.relpath(self.absolute(path), self.path)

    def real(self, path: str) -> str:
        """The absolute path with all links followed."""
        return os.path.realpath(os.path.join(self.path, path))
