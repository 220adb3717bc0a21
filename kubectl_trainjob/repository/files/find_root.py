"""The root of a PATH: the nearest configured directory above it, else the top of the git repository, else its own.

A PATH is an argument of the user. Links in it are followed, except those in a repository that lead out of it: their
targets were chosen by the repository, not by the user.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from errno import ELOOP
from itertools import chain

from kubectl_trainjob.model.message import say
from kubectl_trainjob.repository.files.root import UnsafePathError, read_start

CONFIG_FILE = "trainjob.yaml"
LOOKED_AT = 1 << 16  # bytes
_OURS = re.compile(rb"""apiVersion["']?\s*:\s*["']?kubectl-trainjob\.dev/""", re.IGNORECASE)
_KEY = re.compile(rb"""^[{ ]*["']?[A-Za-z]\w*["']?[ \t]*:""", re.MULTILINE)
# The keys of the type of an object: at the start of a line, or in braces.
_OTHERS = re.compile(
    rb"""(?:^ *|[{,]\s*)["']?(?:apiVersion["']?\s*:|kind["']?\s*:(?!\s*["']?Config\b))""", re.IGNORECASE | re.MULTILINE
)
MOST_LINKS = 40
_OUT_OF_REPOSITORY = say("a symbolic link in it leads out of the repository; pass the target of the link")
_IN_REPOSITORY = say("a symbolic link of the repository is in it; remove the link, or write to another path")


def find_root(directory: str, top: str = "") -> str:
    """The root of `directory`, a real path; git is recognised by `.git`, never run.

    In `top`, the top of a repository, nothing above it counts, and it needs neither mark.
    """
    found = _repository(directory)
    if top and is_below(top, directory):
        return found if found is not None and is_below(top, found) else top
    return found or directory


def is_in_repository(directory: str) -> bool:
    """Whether settings or git mark a repository at `directory`, a real path, or above."""
    return _repository(directory) is not None


class DiskLinks:
    """The links in a path. Those that lead out of their repository are rejected, or `all_inside` a repository."""

    all_inside = False

    def target(self, path: str) -> str | None:
        """The target of the link at an absolute path; None without a link."""
        return os.readlink(path) if os.path.islink(path) else None

    def lead_out(self, directory: str, target: str) -> bool:
        """Whether a link in `directory` to `target` is rejected."""
        repository = _repository(directory)
        if repository is None or self.all_inside:
            return repository is not None
        return not is_below(repository, os.path.realpath(os.path.join(directory, target)))


def real_path(path: str, current: CurrentDirectory, links: DiskLinks) -> str:
    """The path without links. Raises UnsafePathError for a link out of its repository, OSError for a loop."""
    here, steps, followed = current.path, _steps(path), 0
    while steps:
        step = steps.pop()
        below = os.path.dirname(here) if step == os.pardir else os.path.join(here, step)
        target = links.target(below)
        if target is None:
            here = below
            continue
        followed += 1
        if followed > MOST_LINKS:
            raise OSError(ELOOP, os.strerror(ELOOP))
        if links.lead_out(here, target):
            raise UnsafePathError(_IN_REPOSITORY if links.all_inside else _OUT_OF_REPOSITORY)
        steps += _steps(target)
    return here


def is_below(directory: str, path: str) -> bool:
    """Whether a real path is that of a directory or inside it."""
    return path == directory or path.startswith(os.path.join(directory, ""))


def relative(directory: str, real: str) -> str:
    """A real path relative to a directory above it, with "/" between names; "" for the directory itself."""
    path = os.path.relpath(real, directory).replace(os.sep, "/")
    return "" if path == "." else path


def _steps(path: str) -> list[str]:
    """The names of a path, the last first."""
    drive, rest = os.path.splitdrive(path)
    names = [name for name in rest.replace("/", os.sep).split(os.sep) if name not in ("", os.curdir)]
    return [*reversed(names), drive + os.sep] if rest[:1] in ("/", os.sep) else names[::-1]


def _repository(directory: str) -> str | None:
    above = upward(directory)
    tops = (each for each in above if os.path.lexists(os.path.join(each, ".git")))
    return next(chain(filter(is_configured, above), tops), None)


def upward(directory: str) -> list[str]:
    """A directory and those above it, the nearest first."""
    found = [directory]
    while (parent := os.path.dirname(found[-1])) != found[-1]:
        found.append(parent)
    return found


def is_configured(directory: str) -> bool:
    """Whether a directory has our `trainjob.yaml`: a file of that name can also have a TrainJob.

    A file that cannot be read (a link), or that has settings without a type, counts as ours: reading it reports the
    error.
    """
    path = os.path.join(directory, CONFIG_FILE)
    try:
        return is_configuration(read_start(path, LOOKED_AT))
    except (UnsafePathError, OSError):
        return os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))


def is_configuration(start: bytes) -> bool:
    """Whether a file `trainjob.yaml` with these first `LOOKED_AT` bytes is ours."""
    if _OURS.search(start) is not None:
        return True
    # The whole file has keys, but neither an apiVersion nor a foreign kind.
    return len(start) < LOOKED_AT and _KEY.search(start) is not None and _OTHERS.search(start) is None


@dataclass(frozen=True, slots=True)
class CurrentDirectory:
    """The directory of relative paths in a run; code below the commands uses no other. `path` is absolute."""

    path: str

    def join(self, path: str) -> str:
        """A path to open, "" unchanged. It is not normalized: ".." may follow a link."""
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
