"""Which directory a PATH belongs to: the nearest configured one above it, else git's top level, else its own.

A PATH is what the person who runs us names. Links on its way are followed, save those that a repository holds and that
lead out of it: what stands behind them the repository has chosen, not the person.
"""

from __future__ import annotations

import os
import re
import stat
from errno import ELOOP
from typing import Protocol

from kubectl_trainjob.repository.files.current import CurrentDirectory
from kubectl_trainjob.repository.files.root import UnsafePathError, read_start

CONFIG_FILE = "trainjob.yaml"
LOOKED_AT = 1 << 16  # bytes
_OURS = re.compile(rb"""apiVersion["']?\s*:\s*["']?kubectl-trainjob\.dev/""", re.IGNORECASE)
_KEY = re.compile(rb"""^[{ ]*["']?[A-Za-z]\w*["']?[ \t]*:""", re.MULTILINE)
# The keys that say what an object is: at the start of a line, or in braces.
_OTHERS = re.compile(
    rb"""(?:^ *|[{,]\s*)["']?(?:apiVersion["']?\s*:|kind["']?\s*:(?!\s*["']?Config\b))""",
    re.IGNORECASE | re.MULTILINE,
)
MOST_LINKS = 40


def find_root(directory: str) -> str:
    """The root that `directory` (a real path) lies in; git is recognised by `.git`, never run."""
    return _repository(directory) or directory


class Links(Protocol):
    """The links on the way of a path."""

    def target(self, path: str) -> str | None:
        """What the link at an absolute path says; None where there is no link."""

    def lead_out(self, directory: str, target: str) -> bool:
        """Whether a link in `directory` that says `target` leads out of the repository that it lies in."""


class DiskLinks:
    """Those of the disk."""

    def target(self, path: str) -> str | None:
        """What the link at an absolute path says; None where there is no link."""
        return os.readlink(path) if os.path.islink(path) else None

    def lead_out(self, directory: str, target: str) -> bool:
        """Whether a link in `directory` that says `target` leads out of the repository that it lies in."""
        repository = _repository(directory)
        return repository is not None and not is_below(repository, os.path.realpath(os.path.join(directory, target)))


def real_path(path: str, current: CurrentDirectory, links: Links) -> str:
    """Where a path leads. Raises UnsafePathError where a link in a repository leads out of that, OSError for a loop."""
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
            raise UnsafePathError(
                "a symbolic link on its way leads out of the repository; name what it leads to instead"
            )
        steps += _steps(target)
    return here


def is_below(directory: str, path: str) -> bool:
    """Whether a real path is a directory's, or of what lies in that."""
    return path == directory or path.startswith(os.path.join(directory, ""))


def _steps(path: str) -> list[str]:
    """What to enter one after another to reach a path, the last first."""
    drive, rest = os.path.splitdrive(path)
    names = [name for name in rest.replace("/", os.sep).split(os.sep) if name not in ("", os.curdir)]
    return [*reversed(names), drive + os.sep] if rest[:1] in ("/", os.sep) else names[::-1]


def _repository(directory: str) -> str | None:
    for is_root in (is_configured, _is_git_top):
        for above in upward(directory):
            if is_root(above):
                return above
    return None


def upward(directory: str) -> list[str]:
    """A directory and those above it, the nearest first."""
    found = [directory]
    while (parent := os.path.dirname(found[-1])) != found[-1]:
        found.append(parent)
    return found


def _is_git_top(directory: str) -> bool:
    return os.path.lexists(os.path.join(directory, ".git"))


def is_configured(directory: str) -> bool:
    """Whether the file of that name is ours: a TrainJob may be kept in a file `trainjob.yaml` as well.

    So is one that cannot be looked at, a link say, or that has settings without apiVersion and kind: reading it tells
    why. Else its settings would be lost in silence.
    """
    path = os.path.join(directory, CONFIG_FILE)
    try:
        return is_configuration(read_start(path, LOOKED_AT))
    except (UnsafePathError, OSError):
        return _is_no_directory(path)


def is_configuration(start: bytes) -> bool:
    """Whether a file `trainjob.yaml` whose first `LOOKED_AT` bytes these are is ours."""
    return _OURS.search(start) is not None or _is_headless(start)


def _is_headless(start: bytes) -> bool:
    """Whether a file that is seen whole has keys, but neither an apiVersion nor another kind than ours."""
    return len(start) < LOOKED_AT and _KEY.search(start) is not None and _OTHERS.search(start) is None


def _is_no_directory(path: str) -> bool:
    try:
        return not stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
