"""The manifests of a directory, recursively, in sorted order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kubectl_trainjob.repo.root import Entry, SecureRoot

OVERLAY_FILE = "overlay.yaml"
_MANIFESTS = (".yaml", ".yml", ".json")
_TEMPLATE = ".j2"
_KUSTOMIZATIONS = frozenset(("kustomization.yaml", "kustomization.yml", "Kustomization"))
_DEEPEST = 64

Trouble = Literal["link", "special", "template", "deep", "kustomization"]


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read, or what must not be passed over in silence; `path` is relative to the root."""

    path: str
    trouble: Trouble | None = None


def walk(root: SecureRoot, directory: str) -> Iterator[Found]:
    """Manifests below a directory; hidden entries and overlays' directories are left out.

    Raises UnsafePathError and OSError of the root.
    """
    yield from _walk(root, directory, root.entries(directory), _DEEPEST)


def _walk(root: SecureRoot, directory: str, entries: list[Entry], left: int) -> Iterator[Found]:
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = f"{directory}/{entry.name}" if directory else entry.name
        if entry.is_directory:
            if left == 0:
                yield Found(path, "deep")
                continue
            below = root.entries(path)
            if not is_overlay(below):
                yield from _walk(root, path, below, left - 1)
        elif (found := _file(path, entry)) is not None:
            yield found


def is_overlay(entries: list[Entry]) -> bool:
    """Whether a directory is an overlay, a unit of its own."""
    return any(entry.name == OVERLAY_FILE and not entry.is_directory for entry in entries)


def _file(path: str, entry: Entry) -> Found | None:
    if entry.leads_to_directory:
        return Found(path, "link")
    if entry.name.endswith(_TEMPLATE):
        return Found(path, "template")
    if entry.name in _KUSTOMIZATIONS:
        return Found(path, "kustomization")
    if not entry.name.endswith(_MANIFESTS):
        return None
    if entry.is_file:
        return Found(path)
    return Found(path, "link" if entry.is_link else "special")
