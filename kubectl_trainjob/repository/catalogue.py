"""The runtimes that come with the tool: one ClusterTrainingRuntime a file, named as the file.

A wheel has `runtimes/` and `overlays/` of the repository below `_examples/` (see pyproject.toml); a checkout has them
next to this package.
"""

from __future__ import annotations

import os

_SUFFIX = ".yaml"


def directory() -> str:
    """The absolute path of the directory that holds the runtimes."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    packaged = os.path.join(package, "_examples", "runtimes")
    return packaged if os.path.isdir(packaged) else os.path.join(os.path.dirname(package), "runtimes")


def holds(path: str) -> bool:
    """Whether a file, by the path that users see, belongs to the catalogue."""
    return os.path.isabs(path) and path.startswith(os.path.join(directory(), ""))


def names() -> tuple[str, ...]:
    """The names of the runtimes, sorted."""
    return tuple(sorted(file.removesuffix(_SUFFIX) for file in os.listdir(directory()) if file.endswith(_SUFFIX)))


def read(name: str) -> str:
    """The manifest of a runtime, with its comments. Raises KeyError for a name that is not among `names()`."""
    if name not in names():
        raise KeyError(name)
    with open(os.path.join(directory(), name + _SUFFIX), encoding="utf-8", newline="") as file:
        return file.read()
