"""Directories of built files among the inputs, which are compared with what the inputs become now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.repository.files.filesystem import DISK
from kubectl_trainjob.repository.files.intake import BUILT_FILES
from kubectl_trainjob.repository.files.root import UnsafePathError
from kubectl_trainjob.repository.files.walk import INDEX_FILE

if TYPE_CHECKING:
    from kubectl_trainjob.compiler.compilation import Compilation
    from kubectl_trainjob.compiler.printing import Printed
    from kubectl_trainjob.lint.stale import Judged, Texts


def has_built_files(units: Iterable[Documents]) -> bool:
    """Whether the reading of units passed by directories of built files that are checked."""
    return any(not _is_ignored(each) for each in set(_directories(units)))


def judged(units: Mapping[str, Documents], compilations: Mapping[str, Compilation[Printed]]) -> Judged:
    """What is out of date in the directories that the reading of units, by their overlays, passed by.

    What git ignores is not applied from the repository, and is not checked.
    """
    from kubectl_trainjob.lint.stale import Judged, fresh_texts

    directories = [each for each in sorted(set(_directories(units.values()))) if not _is_ignored(each)]
    if not directories:
        return Judged()
    builds = {overlay: fresh_texts(compilation) for overlay, compilation in compilations.items()}
    every = [_judged(each, builds) for each in directories]
    return Judged(
        tuple(found for each in every for found in each.diagnostics),
        tuple(cause for each in every for cause in each.unverifiable),
    )


def _judged(shown: str, builds: Mapping[str, Texts]) -> Judged:
    from kubectl_trainjob.lint.stale import Judged, stale_outputs

    real = os.path.realpath(shown)
    root = DISK.root_of(real)
    try:
        files = DISK.below(root)
    except (OSError, UnsafePathError):  # it was there a moment ago; the next run tells
        return Judged()
    inside = os.path.relpath(real, root).replace(os.sep, "/")
    return stale_outputs(files, "" if inside == "." else inside, shown, builds)


def _directories(units: Iterable[Documents]) -> Iterator[str]:
    for documents in units:
        yield from (each.removesuffix(BUILT_FILES) for each in documents.passed_by if each.endswith(BUILT_FILES))


def _is_ignored(directory: str) -> bool:
    """Whether git ignores what was built, and it is not committed all the same; no where there is no repository."""
    from kubectl_trainjob.repository.git.git import Git

    real = os.path.realpath(directory)
    try:
        return Git(real).run("check-ignore", "--quiet", "--", os.path.join(real, INDEX_FILE)).code == 0
    except EnvironmentFault:
        return False
