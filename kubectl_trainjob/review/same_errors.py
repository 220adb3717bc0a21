"""Errors that base and head of a unit share: what cannot be read then is equal in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.model.units import Documents, Unit, manifests_of

Read = tuple[Documents, tuple[Diagnostic, ...]]
"""The documents of base or head of a unit, and the findings that concern no single TrainJob."""


def has_same_errors(base: Read, head: Read) -> bool:
    """Whether base and head have the same errors, in inputs with the same content.

    An error in an object or a file of objects needs these and the same overlays. An error in the file of an overlay,
    in a template or in a setting may hide more: then all files of base and head must be the same.
    """
    frames = [_texts(_frame(documents)) for documents, _ in (base, head)]
    if frames[0] != frames[1]:
        return False
    errors = [[each for each in findings if has_errors([each])] for _, findings in (base, head)]
    if any(_reaches_further(error, frames[0]) for each in errors for error in each):
        return _texts(_files(base[0])) == _texts(_files(head[0]))
    keys = [_keys(documents, found) for (documents, _), found in zip((base, head), errors, strict=True)]
    return keys[0] == keys[1]


def _reaches_further(error: Diagnostic, frame: dict[str, str]) -> bool:
    file = error.place.source.file
    return file.written is not None or file.common_path in frame


def _keys(documents: Documents, errors: Iterable[Diagnostic]) -> Counter[tuple[str, ...]]:
    """The errors by rule, message and the contents of the inputs that they concern."""
    bodies = {_location(each.source): each.body for each in _manifests(documents)} if errors else {}
    texts: dict[tuple[int, int, Any], str] = {}

    def content(source: Source) -> str:
        at = _location(source)
        if at not in texts:
            texts[at] = repr(bodies[at]) if bodies.get(at) is not None else source.file.text
        return texts[at]

    def key(error: Diagnostic) -> tuple[str, ...]:
        sources = error.place.source, *(each.place.source for each in error.related)
        return (
            error.rule.id,
            error.message,
            *(part for each in sources for part in (each.file.common_path, content(each))),
        )

    return Counter(map(key, errors))


def _location(source: Source) -> tuple[int, int, Any]:
    return id(source.file), source.document, source.prefix


def _manifests(documents: Documents) -> Iterator[Any]:
    yield from (*documents.inputs, *documents.library)
    yield from (each for unit in documents.units for each in manifests_of(unit))


def _frame(documents: Documents) -> Iterator[SourceFile]:
    """The files that decide how objects are built: settings, overlays and their patches."""
    units = [*documents.units]
    for unit in units:
        units += (each for each in unit.resources if isinstance(each, Unit))
        yield from (unit.overlay.source.file, *(patch.source.file for patch in unit.overlay.patches))
    yield from (each.source.file for each in documents.settings)


def _files(documents: Documents) -> Iterator[SourceFile]:
    """All files that a unit reads, and those with errors."""
    yield from _frame(documents)
    yield from (each.source.file for each in _manifests(documents))
    yield from (each.place.source.file for each in documents.diagnostics)


def _texts(files: Iterable[SourceFile]) -> dict[str, str]:
    return {each.common_path: each.text for each in files}
