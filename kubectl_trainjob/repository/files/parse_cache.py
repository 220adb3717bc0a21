"""Files that one reading parsed, for another one of similar files: those of two revisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository.files.classify import NotAnObject, classify
from kubectl_trainjob.repository.yaml.read import FileObjects, Reader

_ReadObject = Manifest | Diagnostic | NotAnObject


class _CachedFile(NamedTuple):
    """The objects of a file, and their share of the limits of a build."""

    file: SourceFile
    reading: FileObjects
    documents: int
    repeated: int

    def in_file(self, file: SourceFile) -> FileObjects | None:
        """The same objects for a file with the same text; None if findings have the other path."""
        if (file.path, file.common_path) == (self.file.path, self.file.common_path):
            return self.reading
        if self.reading.diagnostics:
            return None
        return FileObjects([(body, replace(source, file=file)) for body, source in self.reading.objects])


class ParseCache:
    """Files that were parsed. A file with the text of an earlier one has the same bodies; with its path as shown, also
    the same sources and manifests.

    Each reading counts them for its own limits, and reports their errors. A rendered file is not kept.
    """

    def __init__(self) -> None:
        self.files: dict[tuple[Limits, str], _CachedFile] = {}
        self.unmatched: dict[tuple[object, str], list[int]] = {}  # patterns of `deploy` by file system and root
        self._found: dict[int, tuple[dict[str, Any], _ReadObject]] = {}

    def reader(self, limits: Limits) -> Reader:
        """A reader for one reading."""
        return _SharingReader(limits, self.files)

    def classify(self, body: dict[str, Any], source: Source) -> _ReadObject:
        """The same as the function of that name."""
        known = self._found.get(id(body))  # bodies are kept: no other object gets the same id
        if known is None:
            known = self._found[id(body)] = (body, classify(body, source))
        found = known[1]
        if isinstance(found, Manifest) and found.source != source:
            return replace(found, source=source)
        return classify(body, source) if isinstance(found, Diagnostic) else found


class _SharingReader(Reader):
    """Reads files that no earlier reading had."""

    def __init__(self, limits: Limits, known: dict[tuple[Limits, str], _CachedFile]) -> None:
        super().__init__(limits)
        self._known = known

    def read(self, file: SourceFile) -> FileObjects:
        """The objects of one file. At a limit it is read again, because later objects are omitted."""
        if file.written is not None:
            return super().read(file)
        key = (self._limits, file.text)
        known = self._known.get(key)
        reading = known.in_file(file) if known else None
        if known and reading and self._has_room(known.documents, known.repeated):
            self._documents += known.documents
            self._repeated += known.repeated
            return reading
        documents, repeated = self._documents, self._repeated
        reading = super().read(file)
        if self._has_room():
            self._known[key] = _CachedFile(file, reading, self._documents - documents, self._repeated - repeated)
        return reading

    def _has_room(self, documents: int = 0, repeated: int = 0) -> bool:
        has_more = self._documents + documents <= self._limits.documents
        return has_more and self._repeated + repeated <= self._limits.alias_nodes
