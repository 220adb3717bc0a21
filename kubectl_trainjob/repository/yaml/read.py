"""Files to objects: every document of a stream and every item of a List, as plain data, as kubectl reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.message import describe, say
from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile
from kubectl_trainjob.repository.yaml.compose import BACKEND, Backend, TooDeepError, YAMLError
from kubectl_trainjob.repository.yaml.fast import UNUSUAL, FastParser, looks_unusual
from kubectl_trainjob.repository.yaml.stream import Lines, Piece, TooManyError, is_dense, is_json, pieces


@dataclass(frozen=True, slots=True)
class FileObjects:
    """The mappings of one file with their sources, and the errors of the file.

    A document with errors is among the objects if it has data, because others may refer to it.
    """

    objects: list[tuple[dict[str, Any], Source]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def read_stream(file: SourceFile, limits: Limits = LIMITS) -> FileObjects:
    """The objects of one file."""
    return Reader(limits).read(file)


class Reader:
    """Reads the files of one build; counts documents and repeated nodes over all of them."""

    def __init__(self, limits: Limits = LIMITS, backend: Backend = BACKEND) -> None:
        self._limits = limits
        self._backend = backend
        self._fast = FastParser(limits.depth, backend)
        self._documents = 0
        self._repeated = 0

    @property
    def is_full(self) -> bool:
        """Whether there were more documents than allowed."""
        return self._documents > self._limits.documents

    def read(self, file: SourceFile) -> FileObjects:
        """The objects of one file; documents after a limit are omitted, with a diagnostic."""
        result = FileObjects()
        try:
            self._read(file, result)
        except TooManyError as error:
            span = Lines(file.text).span(error.offset, error.offset + 1)
            result.diagnostics.append(self._too_many(Place(Source(file), span=span)))
        return result

    def read_values(self, file: SourceFile) -> tuple[list[tuple[Any, Source]], list[Diagnostic]]:
        """The data of each document of one file, an object or not: a list of patch operations, for example."""
        diagnostics: list[Diagnostic] = []
        found = [(value, Source(file, number)) for number, value in self._values(file, diagnostics)]
        return found, diagnostics

    def _read(self, file: SourceFile, result: FileObjects) -> None:
        for number, value in self._values(file, result.diagnostics):
            for body, source in self._objects(value, Source(file, number), result.diagnostics):
                self._documents += 1
                if self.is_full:
                    result.diagnostics.append(self._too_many(Place(source)))
                    return
                result.objects.append((body, source))

    def _values(self, file: SourceFile, diagnostics: list[Diagnostic]) -> Iterator[tuple[int, Any]]:
        """The number and data of each document that is not empty."""
        text = file.text
        values = self._all_at_once(text)
        if values is None or any(value is UNUSUAL for value in values):
            yield from self._one_by_one(file, values, diagnostics)
            return
        for number, value in enumerate(values):
            if value is not None:
                yield number, value

    def _all_at_once(self, text: str) -> list[Any] | None:
        """The data of all documents, UNUSUAL for some; None if the stream cannot be parsed as a whole."""
        if is_json(text):
            try:
                return self._fast.json_documents(text, self._limits.documents)
            except (ValueError, RecursionError):
                return None
        if text.count("\n---") >= self._limits.documents or looks_unusual(text) or self._is_dense(text):
            return None
        try:
            return list(self._fast.documents(text))
        except (YAMLError, TooDeepError, ValueError):
            return None

    def _is_dense(self, text: str) -> bool:
        """Whether some document of a large file has too many entries."""
        if not is_dense(text, self._limits):
            return False
        return any(is_dense(piece.text, self._limits) for piece in pieces(text, self._limits.documents))

    def _one_by_one(
        self, file: SourceFile, values: list[Any] | None, diagnostics: list[Diagnostic]
    ) -> Iterator[tuple[int, Any]]:
        lines = Lines(file.text)
        for piece in pieces(file.text, self._limits.documents):
            value = values[piece.number] if values is not None else self._alone(piece)
            if value is UNUSUAL:
                value = self._strictly(file, piece, lines, diagnostics)
            if value is not None:
                yield piece.number, value

    def _alone(self, piece: Piece) -> Any:
        """The data of one document; UNUSUAL for the strict parser."""
        if piece.is_json or looks_unusual(piece.text) or is_dense(piece.text, self._limits):
            return UNUSUAL
        try:
            found = list(self._fast.documents(piece.text))
        except (YAMLError, TooDeepError, ValueError):
            return UNUSUAL
        return found[0] if len(found) == 1 else UNUSUAL if found else None

    def _strictly(self, file: SourceFile, piece: Piece, lines: Lines, diagnostics: list[Diagnostic]) -> Any:
        from kubectl_trainjob.repository.yaml.strict import MOST_ERRORS  # most builds need neither
        from kubectl_trainjob.repository.yaml.strict_piece import StrictReader

        strict = StrictReader(file, piece, lines, self._limits, self._backend)
        value, self._repeated = strict.read(self._repeated)
        diagnostics.extend(strict.diagnostics[: max(MOST_ERRORS - len(diagnostics), 1)])  # each document has its first
        return value

    def _objects(
        self, value: Any, source: Source, diagnostics: list[Diagnostic]
    ) -> Iterator[tuple[dict[str, Any], Source]]:
        """The object itself, or the items of a List; mirrors unstructured's decodeToList (k8s.io/apimachinery)."""
        if not isinstance(value, dict):
            message = say("{} is not an object; write a mapping with apiVersion, kind and metadata", describe(value))
            diagnostics.append(Diagnostic(rules.NOT_AN_OBJECT, message, Place(source)))
            return
        items = _list_items(value)
        if items is None:
            yield value, source
            return
        for index, item in enumerate(items):
            inferred = _as_item(item, value) if isinstance(item, dict) else item
            place: Pointer = (*source.prefix, "items", index)
            yield from self._objects(inferred, Source(source.file, source.document, place), diagnostics)

    def _too_many(self, place: Place) -> Diagnostic:
        most = self._limits.documents
        documents = say("document") if most == 1 else say("documents")
        message = say(
            "more than {} {} in one build, the limit (limits.documents); build fewer files at a time", most, documents
        )
        return Diagnostic(rules.TOO_MANY_DOCUMENTS, message, place)


def _list_items(value: dict[str, Any]) -> list[Any] | None:
    kind, items = value.get("kind"), value.get("items")
    if not isinstance(kind, str) or not kind.endswith("List"):
        return None
    if isinstance(items, list):
        return items
    return [] if kind == "List" and items is None else None


def _as_item(item: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """An item of a typed list may have no type: it is the list's kind without "List"."""
    if item.get("kind") or item.get("apiVersion"):
        return item
    return {"apiVersion": whole.get("apiVersion"), "kind": whole["kind"].removesuffix("List")} | {
        key: value for key, value in item.items() if key not in ("apiVersion", "kind")
    }
