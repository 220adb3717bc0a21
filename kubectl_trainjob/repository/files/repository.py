"""A repository whose files are read, and the three forms of its paths.

real    absolute, without links: two paths to one file are equal in this form.
inside  relative to the root, with "/" between names, "" for the root itself: the form of `Files`, `ignore` and caches.
shown   as users know the file: as they passed it, relative to the current directory if they did so. Messages and
        `SourceFile.path` have this form; nothing in a repository is opened by it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field

from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile, list_at
from kubectl_trainjob.repository.files.config import Config
from kubectl_trainjob.repository.files.find_root import relative
from kubectl_trainjob.repository.files.git_ignore import GitIgnore, PathFilter
from kubectl_trainjob.repository.files.patterns import Ignore
from kubectl_trainjob.repository.files.root import Files, TooLargeError, UnsafePathError
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE, overlays
from kubectl_trainjob.repository.yaml.read import read_stream

_LARGEST = 1 << 20  # bytes of an overlay.yaml that is read only for its templates


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A repository: its files, its path as shown, and its configuration."""

    files: Files
    shown: str
    config: Config
    ignore: Ignore
    git: GitIgnore = field(default_factory=GitIgnore)

    def ignored_below(self, directory: str = "") -> PathFilter:
        """What a walk of a directory skips: what the settings and git ignore."""
        by_settings, by_git = self.ignore, self.git.below(directory)
        return lambda path, is_directory: by_settings(path, is_directory) or by_git(path, is_directory)

    def inside(self, real: str) -> str:
        """The form relative to the root of a real path below it."""
        return relative(self.files.directory, real)

    def real(self, inside: str) -> str:
        """The real path of a path inside, without any link in it."""
        return os.path.normpath(os.path.join(self.files.directory, inside))

    def show(self, inside: str) -> str:
        """A path inside as shown."""
        return os.path.normpath(os.path.join(self.shown, inside))


def listed_templates(root: Root, limits: Limits) -> Iterator[str]:
    """The resources of all overlays of a repository: reading a directory skips the templates among them."""
    for inside in overlays(root.files, root.ignored_below()):
        try:
            text = root.files.read(posixpath.join(inside, OVERLAY_FILE), _LARGEST).decode()
        except (UnsafePathError, TooLargeError, OSError, ValueError):
            continue  # it is reported when it is built
        for body, _ in read_stream(SourceFile("", text), limits).objects:
            for entry in list_at(body, "resources"):
                yield posixpath.normpath(posixpath.join(inside, str(entry)))
