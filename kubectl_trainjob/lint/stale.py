"""Directories with the output of builds, compared with a build of the current inputs.

In: such a directory, and a build of each unit. Out: diagnostics in its files, or why it cannot be checked. Must not:
write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation
from kubectl_trainjob.compiler.printing import PrintedJob, build_findings, printed_objects
from kubectl_trainjob.lint.locate import input_diagnostics
from kubectl_trainjob.lint.registry import OUTPUT_CHECKS
from kubectl_trainjob.lint.views import BuiltFile, LintedOutput
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.finding import UncheckedRules
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.units import BuiltDirectory
from kubectl_trainjob.repository.files.walk import INDEX_FILE
from kubectl_trainjob.repository.output.built_index import Index, index_of

Texts = Mapping[str, str]
_UNKNOWN_SOURCE = (
    'no build generates a file of "{}" now: it was built from other sources, from sources with errors, or with -n'
)


class OutputFindings(NamedTuple):
    """What is out of date in directories of built files, and those that cannot be checked."""

    diagnostics: tuple[Diagnostic, ...] = ()
    unchecked: tuple[UncheckedRules, ...] = ()


def fresh_texts(compilation: Compilation[PrintedJob]) -> Texts:
    """What `build -O` would write for a unit now, by path; nothing for one that cannot be built: lint reports that."""
    from kubectl_trainjob.repository.output.layout import layout
    from kubectl_trainjob.repository.output.render import texts

    if has_errors(build_findings(compilation)):
        return {}
    objects = list(printed_objects(compilation))
    paths = layout(each.id for each in objects)
    return dict(zip(paths, map(bytes.decode, texts(objects, "yaml")), strict=True))


def check_built(directories: Sequence[BuiltDirectory], units: Mapping[str, Compilation[PrintedJob]]) -> OutputFindings:
    """What is out of date in the built directories of a tree; `units` has its compilations by their overlays."""
    builds = {overlay: fresh_texts(unit) for overlay, unit in units.items()} if directories else {}
    every = [stale_outputs(each, builds) for each in directories]
    return OutputFindings(
        tuple(found for each in every for found in each.diagnostics),
        tuple(cause for each in every for cause in each.unchecked),
    )


def stale_outputs(directory: BuiltDirectory, builds: Mapping[str, Texts]) -> OutputFindings:
    """What is out of date in one directory.

    `builds` has the texts of each unit by its overlay's directory, "" for the plain manifests. A directory that has no
    path in common with any of them cannot be checked.
    """
    known = index_of(directory)
    if not known:
        return OutputFindings()
    if not any(path in texts for path in known for texts in builds.values()):  # an invalid unit has no texts, too
        rules = tuple(check.rule.id for check in OUTPUT_CHECKS)
        return OutputFindings(unchecked=(UncheckedRules(say(_UNKNOWN_SOURCE, directory.path), rules),))
    return OutputFindings(tuple(_outdated_files(directory, known, builds)))


def _outdated_files(directory: BuiltDirectory, known: Index, builds: Mapping[str, Texts]) -> Iterator[Diagnostic]:
    found = tuple(
        BuiltFile(path, directory.file(path), tuple(texts[path] for texts in builds.values() if path in texts))
        for path in sorted(known)
    )
    view = LintedOutput(directory.named(INDEX_FILE), found, tuple(_missing(found, builds)))
    for check in OUTPUT_CHECKS:
        yield from input_diagnostics(check.rule, check.find(view))


def _missing(found: tuple[BuiltFile, ...], builds: Mapping[str, Texts]) -> Iterator[str]:
    """Other files that the overlay generates here; of plain manifests, users may build a part."""
    counts = {overlay: sum(_is_from(built, texts) for built in found) for overlay, texts in builds.items() if overlay}
    overlay = max(counts, key=counts.__getitem__, default="")
    if counts.get(overlay):
        yield from sorted(builds[overlay].keys() - {built.path for built in found})


def _is_from(built: BuiltFile, texts: Texts) -> bool:
    return built.file is not None and texts.get(built.path) == built.file.text.replace("\r\n", "\n")
