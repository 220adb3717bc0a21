"""The manifests of a directory, recursively, in sorted order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from kubectl_trainjob.repository.files.root import Entry, Files, UnsafePathError

OVERLAY_FILE = "overlay.yaml"
INDEX_FILE = ".kubectl-trainjob-index"
"""In a directory of built files: these are results, not manifests to build."""
TEMPLATE = ".j2"
_MANIFESTS = (".yaml", ".yml", ".json")
_KUSTOMIZATIONS = frozenset(("kustomization.yaml", "kustomization.yml", "Kustomization"))
_DEEPEST = 64

SkipReason = Literal["link", "special", "template", "deep", "kustomization", "overlay", "results"]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, or an entry that is not read for a reason; `path` is relative to the root."""

    path: str
    reason: SkipReason | None = None


def walk(root: Files, directory: str, ignored: Callable[[str], bool]) -> Iterator[FoundFile]:
    """Manifests below a directory, without hidden and ignored entries, and directories of overlays and built files.

    Raises UnsafePathError for the directory itself, OSError for it and those below, with the path from the root.
    """
    yield from _walk(root, directory, root.entries(directory), ignored, _DEEPEST)


def _walk(
    root: Files, directory: str, entries: list[Entry], ignored: Callable[[str], bool], left: int
) -> Iterator[FoundFile]:
    for path, entry in visible(directory, entries, ignored):
        if not entry.is_directory:
            found = _file(path, entry)
            if found is not None:
                yield found
        elif left == 0:
            yield FoundFile(path, "deep")
        elif (below := _entries(root, path)) is None:
            yield FoundFile(path, "link")
        elif is_overlay(below):
            yield FoundFile(path, "overlay")
        elif any(inner.name == INDEX_FILE for inner in below):
            yield FoundFile(path, "results")
        else:
            yield from _walk(root, path, below, ignored, left - 1)


def _entries(root: Files, path: str) -> list[Entry] | None:
    """The entries of a directory; None if a link has replaced it."""
    try:
        return root.entries(path)
    except UnsafePathError:
        return None


def overlays(root: Files, ignored: Callable[[str], bool], directory: str = "") -> Iterator[str]:
    """All directories of overlays below a directory, also inside other overlays. Errors are left to later readers."""
    waiting = [(directory, _DEEPEST)]
    while waiting:
        directory, left = waiting.pop()
        try:
            entries = root.entries(directory)
        except (UnsafePathError, OSError):
            continue
        if is_overlay(entries):
            yield directory
        below = [path for path, entry in visible(directory, entries, ignored) if entry.is_directory and left]
        waiting += [(path, left - 1) for path in reversed(below)]


def visible(directory: str, entries: list[Entry], ignored: Callable[[str], bool]) -> Iterator[tuple[str, Entry]]:
    """The entries of a directory that are neither hidden nor ignored, with their paths from the root."""
    for entry in entries:
        path = f"{directory}/{entry.name}" if directory else entry.name
        if not entry.name.startswith(".") and not ignored(path):
            yield path, entry


def is_overlay(entries: list[Entry]) -> bool:
    """Whether a directory is an overlay, which is a separate build unit."""
    return any(entry.name == OVERLAY_FILE and not entry.is_directory for entry in entries)


def _file(path: str, entry: Entry) -> FoundFile | None:
    if entry.is_link and not entry.leads_to_file:  # to a directory, or to what may become one
        return FoundFile(path, "link")
    if entry.name.endswith(TEMPLATE):
        return FoundFile(path, "template")
    if entry.name in _KUSTOMIZATIONS:
        return FoundFile(path, "kustomization")
    if not entry.name.endswith(_MANIFESTS):
        return None
    if entry.is_file:
        return FoundFile(path)
    return FoundFile(path, "link" if entry.is_link else "special")
