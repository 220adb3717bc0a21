"""Which directory a PATH belongs to: the nearest configured one above it, else git's top level, else its own."""

from __future__ import annotations

import os
import re
import stat

CONFIG_FILE = "trainjob.yaml"
_OURS = re.compile(rb"""apiVersion["']?\s*:\s*["']?kubectl-trainjob\.dev/""")
_LOOKED_AT = 1 << 16


def find_root(directory: str) -> str:
    """The root that `directory` (a real path) lies in; git is recognised by `.git`, never run."""
    for is_root in (is_configured, _is_git_top):
        for above in _upward(directory):
            if is_root(above):
                return above
    return directory


def _upward(directory: str) -> list[str]:
    found = [directory]
    while (parent := os.path.dirname(found[-1])) != found[-1]:
        found.append(parent)
    return found


def _is_git_top(directory: str) -> bool:
    return os.path.lexists(os.path.join(directory, ".git"))


def is_configured(directory: str) -> bool:
    """Whether the file of that name is ours: a TrainJob may be kept in a file `trainjob.yaml` as well."""
    path = os.path.join(directory, CONFIG_FILE)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return _OURS.search(file.read(_LOOKED_AT)) is not None
    except OSError:
        return False
