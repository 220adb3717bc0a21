"""What a repository deploys: the directories, overlays and files that `deploy` in its `trainjob.yaml` lists."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import UnsafePathError
from kubectl_trainjob.repository.files.walk import MANIFESTS, is_overlay


class DeployedPath(NamedTuple):
    """An overlay, or plain manifests, by its path from the root."""

    path: str
    is_overlay: bool


def find_deployed(root: Root) -> list[DeployedPath]:
    """All paths that the patterns match, each once; an overlay hides what else the same pattern matches."""
    found = dict[DeployedPath, None]()
    for pattern in root.config.deploy:
        matches = [DeployedPath(path, _is_overlay(root, path)) for path in matching(root, pattern)]
        overlays = [each for each in matches if each.is_overlay]
        found.update(dict.fromkeys(overlays or matches))
    return list(found)


def matching(root: Root, pattern: str) -> list[str]:
    """The directories and manifests that a pattern matches: `*` and `?` stay inside one name."""
    paths = [""]
    for name in pattern.strip("/").split("/"):
        if name != ".":
            paths = [below for path in paths for below in _below(root, path, name)]
    return paths


def _below(root: Root, directory: str, name: str) -> Iterator[str]:
    try:
        entries = root.files.entries(directory)
    except (UnsafePathError, OSError):
        return
    for entry in entries:
        if fnmatchcase(entry.name, name) and (entry.is_directory or entry.name.endswith(MANIFESTS)):
            yield f"{directory}/{entry.name}" if directory else entry.name


def _is_overlay(root: Root, path: str) -> bool:
    try:
        return is_overlay(root.files, path, root.files.entries(path))
    except (UnsafePathError, OSError):
        return False
