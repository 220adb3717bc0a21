"""A repository whose files are read, and the three forms of its paths.

real    absolute, without links: two paths to one file are equal in this form.
inside  relative to the root, with "/" between names, "" for the root itself: the form of `Files`, `ignore` and caches.
shown   as users know the file: as they passed it, relative to the current directory if they did so. Messages and
        `SourceFile.path` have this form; nothing in a repository is opened by it.
"""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.files.config import Config
from kubectl_trainjob.repository.files.find_root import relative
from kubectl_trainjob.repository.files.root import Files, TooLargeError, UnsafePathError
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE, overlays
from kubectl_trainjob.repository.yaml.read import read_stream

_LARGEST = 1 << 20  # bytes of an overlay.yaml that is read only for its templates


class Ignore:
    """Patterns of paths from the root: `*` and `?` stay inside one name, `**` is any number of directories.

    A pattern without a slash means every entry of that name; a directory that matches is skipped as a whole.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        components = [_components(pattern) for pattern in patterns]
        self._names = [_regex(last) for *way, last in components if way == ["**"] and last != "**"]
        self._patterns = [each for each in components if each[:-1] != ["**"] or each[-1] == "**"]

    def __call__(self, path: str) -> bool:
        """Whether the entry at `path`, relative to the root, is skipped."""
        name = path.rpartition("/")[2]  # a directory that matches is not entered, therefore those above do not match
        return any(regex.match(name) for regex in self._names) or (
            bool(self._patterns) and any(_matches(path.split("/"), pattern) for pattern in self._patterns)
        )


def _components(pattern: str) -> list[str]:
    components = pattern.strip("/").split("/")
    return components if "/" in pattern.rstrip("/") else ["**", *components]


def _matches(names: list[str], pattern: list[str]) -> bool:
    """Whether all names match all components; `reached` has the counts of components that the names so far can use."""
    reached = _skipping({0}, pattern)
    for name in names:
        stay = {at for at in reached if at < len(pattern) and pattern[at] == "**"}
        step = {at + 1 for at in reached - stay if at < len(pattern) and _regex(pattern[at]).match(name)}
        reached = _skipping(stay | step, pattern)
    return len(pattern) in reached


def _skipping(reached: set[int], pattern: list[str]) -> set[int]:
    """The same, and what is reached where `**` means no directory at all."""
    found = set(reached)
    for at in range(len(pattern)):
        if at in found and pattern[at] == "**":
            found.add(at + 1)
    return found


@lru_cache(maxsize=256)
def _regex(component: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(component))  # written without backtracking into earlier stars


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A repository: its files, its path as shown, and its configuration."""

    files: Files
    shown: str
    config: Config
    ignored: Ignore

    def inside(self, real: str) -> str:
        """The form relative to the root of a real path below it."""
        return relative(self.files.directory, real)

    def real(self, inside: str) -> str:
        """The real path of a path inside, in which nothing that is read is a link."""
        return os.path.normpath(os.path.join(self.files.directory, inside))

    def show(self, inside: str) -> str:
        """A path inside as shown."""
        return os.path.normpath(os.path.join(self.shown, inside))


def listed_templates(root: Root, limits: Limits) -> Iterator[str]:
    """The resources of all overlays of a repository: reading a directory skips the templates among them."""
    for inside in overlays(root.files, root.ignored):
        try:
            text = root.files.read(posixpath.join(inside, OVERLAY_FILE), _LARGEST).decode()
        except (UnsafePathError, TooLargeError, OSError, ValueError):
            continue  # it is reported when it is built
        for body, _ in read_stream(SourceFile("", text), limits).objects:
            entries = body.get("resources")
            for entry in entries if isinstance(entries, list) else ():
                yield posixpath.normpath(posixpath.join(inside, str(entry)))
