"""Directories that builds were written to, against what the inputs become now.

In: such a directory, and a build of each unit. Out: diagnostics that stand in its files, or why there can be none.
Must not: write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation
from kubectl_trainjob.compiler.printing import Printed, build_findings, printed_objects
from kubectl_trainjob.lint.locate import of_tree
from kubectl_trainjob.lint.registry import OUTPUT_CHECKS
from kubectl_trainjob.lint.views import BuiltFile, LintedOutput
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.finding import Unverifiable
from kubectl_trainjob.model.units import BuiltDirectory
from kubectl_trainjob.repository.files.walk import INDEX_FILE
from kubectl_trainjob.repository.output.built_index import Index, index_of

Texts = Mapping[str, str]


class Judged(NamedTuple):
    """What is out of date in directories of built files, and those that cannot be judged."""

    diagnostics: tuple[Diagnostic, ...] = ()
    unverifiable: tuple[Unverifiable, ...] = ()


def fresh_texts(compilation: Compilation[Printed]) -> Texts:
    """What `build -O` would write of a unit now, by path; nothing of one that cannot be built: lint reports that."""
    from kubectl_trainjob.repository.output.layout import layout
    from kubectl_trainjob.repository.output.render import texts

    if has_errors(build_findings(compilation)):
        return {}
    objects = list(printed_objects(compilation))
    paths = layout(each.id for each in objects)
    return dict(zip(paths, map(bytes.decode, texts(objects, "yaml")), strict=True))


def check_built(directories: Sequence[BuiltDirectory], compilations: Mapping[str, Compilation[Printed]]) -> Judged:
    """What is out of date in directories of built files of a tree; `compilations` are its units by their overlays."""
    if not directories:
        return Judged()
    builds = {overlay: fresh_texts(compilation) for overlay, compilation in compilations.items()}
    every = [stale_outputs(each, builds) for each in directories]
    return Judged(
        tuple(found for each in every for found in each.diagnostics),
        tuple(cause for each in every for cause in each.unverifiable),
    )


def stale_outputs(directory: BuiltDirectory, builds: Mapping[str, Texts]) -> Judged:
    """What is out of date in one directory.

    `builds` has the texts of each unit by its overlay's directory, "" for the plain manifests. A directory that has no
    path in common with any of them cannot be checked.
    """
    known = index_of(directory)
    if not known:
        return Judged()
    if not any(path in texts for path in known for texts in builds.values()):
        return Judged(unverifiable=(_unverifiable(directory.path),))
    return Judged(tuple(_outdated(directory, known, builds)))


def _unverifiable(shown: str) -> Unverifiable:
    # What cannot be built has no texts either.
    because = "it was built from something else, with -n, or from what cannot be built"
    cause = f'no build makes a file of "{shown}" now: {because}'
    return Unverifiable(cause, tuple(check.rule.id for check in OUTPUT_CHECKS))


def _outdated(directory: BuiltDirectory, known: Index, builds: Mapping[str, Texts]) -> Iterator[Diagnostic]:
    found = tuple(
        BuiltFile(path, directory.file(path), tuple(texts[path] for texts in builds.values() if path in texts))
        for path in sorted(known)
    )
    index = directory.named(INDEX_FILE)
    view = LintedOutput(index, found, tuple(_missing(found, builds)))
    for check in OUTPUT_CHECKS:
        yield from of_tree(check.rule, check.find(view))


def _missing(found: tuple[BuiltFile, ...], builds: Mapping[str, Texts]) -> Iterator[str]:
    """What the overlay that was built here makes besides; of plain manifests anybody may build a part."""
    counts = {overlay: sum(_is_from(built, texts) for built in found) for overlay, texts in builds.items() if overlay}
    overlay = max(counts, key=counts.__getitem__, default="")
    if counts.get(overlay):
        yield from sorted(builds[overlay].keys() - {built.path for built in found})


def _is_from(built: BuiltFile, texts: Texts) -> bool:
    return built.file is not None and texts.get(built.path) == built.file.text.replace("\r\n", "\n")
