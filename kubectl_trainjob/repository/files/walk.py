"""The manifests of a directory, recursively, in sorted order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kubectl_trainjob.repository.files.git_ignore import PathFilter
from kubectl_trainjob.repository.files.root import Entry, Files, TooLargeError, UnsafePathError

OVERLAY_FILE = "overlay.yaml"
INDEX_FILE = ".kubectl-trainjob-index"
"""In a directory of built files: these are results, not manifests to build."""
TEMPLATE = ".j2"
MANIFESTS = (".yaml", ".yml", ".json")
KUSTOMIZATIONS = frozenset(("kustomization.yaml", "kustomization.yml", "Kustomization"))
_CHART = "Chart.yaml"
_OF_CHART = frozenset(("templates", "charts", "crds", "files"))
_INSTALLED = frozenset(("node_modules", "pyvenv.cfg"))  # the name of a directory, and a file in one: packages of others
_LARGEST = 1 << 20  # bytes of an overlay.yaml
_OVERLAY = re.compile(
    rb"kubectl-trainjob|^[{ ]*[\"']?(?:kind[\"']?\s*:\s*[\"']?(?:Overlay|Component)\b|resources[\"']?\s*:)",
    re.MULTILINE,
)
_COMPONENT = re.compile(
    rb"^[{ ]*[\"']?kind[\"']?\s*:\s*[\"']?Component\b|[{,]\s*[\"']?kind[\"']?\s*:\s*[\"']?Component\b", re.MULTILINE
)
_DEEPEST = 64

SkipReason = Literal[
    "link", "linked directory", "special", "template", "deep", "kustomization", "chart", "overlay", "results"
]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, or an entry that is not read for a reason; `path` is relative to the root."""

    path: str
    reason: SkipReason | None = None


def walk(root: Files, directory: str, ignored: PathFilter) -> Iterator[FoundFile]:
    """Manifests below a directory. Ignored entries, dot files, packages, Helm charts, and directories of overlays and
    built files are skipped. If the directory itself is a chart, its other directories are read.

    Raises UnsafePathError for the directory itself, OSError for it and those below, with the path from the root.
    """
    entries = root.entries(directory)
    if _has(entries, _CHART):
        yield FoundFile(directory, "chart")
        entries = [entry for entry in entries if entry.name not in _OF_CHART]
    yield from _walk(root, directory, entries, ignored, _DEEPEST)


def _walk(root: Files, directory: str, entries: list[Entry], ignored: PathFilter, left: int) -> Iterator[FoundFile]:
    for path, entry in _visible(directory, entries):
        if not entry.is_directory:
            found = _file(path, entry)
            if found is not None and not ignored(path, False):
                yield found
        elif ignored(path, True):
            continue
        elif left == 0:
            yield FoundFile(path, "deep")
        elif (below := _entries(root, path)) is None:
            yield FoundFile(path, "linked directory")
        elif (reason := _separate(root, path, entry, below)) is None:
            yield from _walk(root, path, below, ignored, left - 1)
        elif reason != "silent":
            yield FoundFile(path, reason)


def _separate(
    root: Files, path: str, entry: Entry, below: list[Entry]
) -> Literal["overlay", "results", "chart", "silent"] | None:
    """Why a directory is not read with the one above it; no note says so for packages of others and components."""
    if is_overlay(root, path, below):
        return "silent" if is_component(root, path) else "overlay"
    if _has(below, INDEX_FILE):
        return "results"
    if _has(below, _CHART):
        return "chart"
    is_installed = entry.name in _INSTALLED or any(each.name in _INSTALLED and each.is_file for each in below)
    return "silent" if is_installed else None


def _has(entries: list[Entry], name: str) -> bool:
    return any(entry.name == name for entry in entries)


def _entries(root: Files, path: str) -> list[Entry] | None:
    """The entries of a directory; None if a link has replaced it."""
    try:
        return root.entries(path)
    except UnsafePathError:
        return None


def overlays(root: Files, ignored: PathFilter, directory: str = "") -> Iterator[str]:
    """All directories of overlays below a directory, also inside other overlays. Errors are left to later readers."""
    waiting = [(directory, _DEEPEST)]
    while waiting:
        directory, left = waiting.pop()
        try:
            entries = root.entries(directory)
        except (UnsafePathError, OSError):
            continue
        if is_overlay(root, directory, entries) and not is_component(root, directory):
            yield directory
        found = [path for path, entry in _visible(directory, entries) if entry.is_directory and left]
        below = [path for path in found if not ignored(path, True)]
        waiting += [(path, left - 1) for path in reversed(below)]


def _visible(directory: str, entries: list[Entry]) -> Iterator[tuple[str, Entry]]:
    """The entries of a directory without dot files, with their paths from the root."""
    for entry in entries:
        if not entry.name.startswith("."):
            yield f"{directory}/{entry.name}" if directory else entry.name, entry


def is_overlay(root: Files, directory: str, entries: list[Entry]) -> bool:
    """Whether a directory is an overlay, which is a separate build unit: other tools have files of that name, too.

    A file that cannot be read counts as ours: reading it reports the error.
    """
    if not any(entry.name == OVERLAY_FILE and not entry.is_directory for entry in entries):
        return False
    try:
        text = root.read(f"{directory}/{OVERLAY_FILE}".lstrip("/"), _LARGEST)
    except (UnsafePathError, TooLargeError, OSError):
        return True
    return not text.strip(b"- \n") or _OVERLAY.search(text) is not None


def is_component(root: Files, directory: str) -> bool:
    """Whether an overlay is a component, which is built with the overlays that list it only."""
    try:
        return _COMPONENT.search(root.read(f"{directory}/{OVERLAY_FILE}".lstrip("/"), _LARGEST)) is not None
    except (UnsafePathError, TooLargeError, OSError):
        return False


def _file(path: str, entry: Entry) -> FoundFile | None:
    if entry.is_link and not entry.leads_to_file and not entry.name.endswith((*MANIFESTS, TEMPLATE)):
        return FoundFile(path, "linked directory")  # or to a name that may be one later
    if entry.name.endswith(TEMPLATE):
        return FoundFile(path, "template")
    if entry.name in KUSTOMIZATIONS:
        return FoundFile(path, "kustomization")
    if not entry.name.endswith(MANIFESTS):
        return None
    if entry.is_file:
        return FoundFile(path)
    return FoundFile(path, "link" if entry.is_link else "special")
