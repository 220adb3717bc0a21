"""Which directory a PATH belongs to: the nearest configured one above it, else git's top level, else its own.

A PATH is what the person who runs us names. Links on its way are followed, save those that a repository holds and that
lead out of it: what stands behind them the repository has chosen, not the person.
"""

from __future__ import annotations

import os
import re
import stat
from errno import ELOOP

from kubectl_trainjob.repo.root import UnsafePathError, read_start

CONFIG_FILE = "trainjob.yaml"
_OURS = re.compile(rb"""apiVersion["']?\s*:\s*["']?kubectl-trainjob\.dev/""", re.IGNORECASE)
_KEY = re.compile(rb"""^[{ ]*["']?[A-Za-z]\w*["']?[ \t]*:""", re.MULTILINE)
# The keys that say what an object is: at the start of a line, or in braces.
_OTHERS = re.compile(
    rb"""(?:^ *|[{,]\s*)["']?(?:apiVersion["']?\s*:|kind["']?\s*:(?!\s*["']?Config\b))""",
    re.IGNORECASE | re.MULTILINE,
)
_LOOKED_AT = 1 << 16
_MOST_LINKS = 40


def find_root(directory: str) -> str:
    """The root that `directory` (a real path) lies in; git is recognised by `.git`, never run."""
    return _repository(directory) or directory


def real_path(path: str) -> str:
    """Where a path leads. Raises UnsafePathError where a link in a repository leads out of that, OSError for a loop."""
    here, steps, links = os.getcwd(), _steps(path), 0
    while steps:
        step = steps.pop()
        below = os.path.dirname(here) if step == os.pardir else os.path.join(here, step)
        if not os.path.islink(below):
            here = below
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(ELOOP, os.strerror(ELOOP))
        target = os.readlink(below)
        _refuse_way_out(here, target)
        steps += _steps(target)
    return here


def _steps(path: str) -> list[str]:
    """What to enter one after another to reach a path, the last first."""
    drive, rest = os.path.splitdrive(path)
    names = [name for name in rest.replace("/", os.sep).split(os.sep) if name not in ("", os.curdir)]
    return [*reversed(names), drive + os.sep] if rest[:1] in ("/", os.sep) else names[::-1]


def _refuse_way_out(directory: str, target: str) -> None:
    repository = _repository(directory)
    if repository is None:
        return
    real = os.path.realpath(os.path.join(directory, target))
    if real != repository and not real.startswith(os.path.join(repository, "")):
        raise UnsafePathError("a symbolic link on its way leads out of the repository; name what it leads to instead")


def _repository(directory: str) -> str | None:
    for is_root in (is_configured, _is_git_top):
        for above in _upward(directory):
            if is_root(above):
                return above
    return None


def _upward(directory: str) -> list[str]:
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
        start = read_start(path, _LOOKED_AT)
        return _OURS.search(start) is not None or _is_headless(start)
    except (UnsafePathError, OSError):
        return _is_no_directory(path)


def _is_headless(start: bytes) -> bool:
    """Whether a file that is seen whole has keys, but neither an apiVersion nor another kind than ours."""
    return len(start) < _LOOKED_AT and _KEY.search(start) is not None and _OTHERS.search(start) is None


def _is_no_directory(path: str) -> bool:
    try:
        return not stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
