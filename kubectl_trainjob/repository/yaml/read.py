"""Files to objects: every document of a stream and every item of a List, as plain data, as kubectl reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile
from kubectl_trainjob.repository.yaml.compose import BACKEND, Backend, TooDeepError, YAMLError
from kubectl_trainjob.repository.yaml.fast import UNUSUAL, Fast, looks_unusual
from kubectl_trainjob.repository.yaml.stream import Lines, Piece, TooManyError, is_dense, is_json, pieces


@dataclass(frozen=True, slots=True)
class Reading:
    """What one file holds: mappings with where they stand, and what is wrong with the rest.

    A document with errors is among the objects when its data could be made out, so that others still find it.
    """

    objects: list[tuple[dict[str, Any], Source]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def read_stream(file: SourceFile, limits: Limits = LIMITS) -> Reading:
    """The objects of one file read alone."""
    return Reader(limits).read(file)


class Reader:
    """Reads the files of one build; counts documents and repeated nodes over all of them."""

    def __init__(self, limits: Limits = LIMITS, backend: Backend = BACKEND) -> None:
        self._limits = limits
        self._backend = backend
        self._fast = Fast(limits.depth, backend)
        self._documents = 0
        self._repeated = 0

    @property
    def is_full(self) -> bool:
        """Whether the limit of documents is used up and exceeded."""
        return self._documents > self._limits.documents

    def read(self, file: SourceFile) -> Reading:
        """The objects of one file; documents behind a limit are left out, with a diagnostic."""
        result = Reading()
        try:
            self._read(file, result)
        except TooManyError as error:
            span = Lines(file.text).span(error.offset, error.offset + 1)
            result.diagnostics.append(self._too_many(Place(Source(file), span=span)))
        return result

    def read_values(self, file: SourceFile) -> tuple[list[tuple[Any, Source]], list[Diagnostic]]:
        """What each document of one file holds, an object or not: a list of patch operations, say."""
        diagnostics: list[Diagnostic] = []
        found = [(value, Source(file, number)) for number, value in self._values(file, diagnostics)]
        return found, diagnostics

    def _read(self, file: SourceFile, result: Reading) -> None:
        for number, value in self._values(file, result.diagnostics):
            for body, source in self._objects(value, Source(file, number), result.diagnostics):
                self._documents += 1
                if self.is_full:
                    result.diagnostics.append(self._too_many(Place(source)))
                    return
                result.objects.append((body, source))

    def _values(self, file: SourceFile, diagnostics: list[Diagnostic]) -> Iterator[tuple[int, Any]]:
        """The document number and data of each document that is not empty."""
        text = file.text
        values = self._all_at_once(text)
        if values is None or any(value is UNUSUAL for value in values):
            yield from self._one_by_one(file, values, diagnostics)
            return
        for number, value in enumerate(values):
            if value is not None:
                yield number, value

    def _all_at_once(self, text: str) -> list[Any] | None:
        """The data of all documents, UNUSUAL among them; None where the stream cannot be read as a whole."""
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
                value = self._with_care(file, piece, lines, diagnostics)
            if value is not None:
                yield piece.number, value

    def _alone(self, piece: Piece) -> Any:
        """The data of one document; UNUSUAL where it needs care."""
        if piece.is_json or looks_unusual(piece.text) or is_dense(piece.text, self._limits):
            return UNUSUAL
        try:
            found = list(self._fast.documents(piece.text))
        except (YAMLError, TooDeepError, ValueError):
            return UNUSUAL
        return found[0] if len(found) == 1 else UNUSUAL if found else None

    def _with_care(self, file: SourceFile, piece: Piece, lines: Lines, diagnostics: list[Diagnostic]) -> Any:
        # Most builds meet no document that needs it.
        from kubectl_trainjob.repository.yaml.careful_piece import CarefulReader

        careful = CarefulReader(file, piece, lines, self._limits, self._backend)
        value, self._repeated = careful.read(self._repeated)
        diagnostics.extend(careful.diagnostics)
        return value

    def _objects(
        self, value: Any, source: Source, diagnostics: list[Diagnostic]
    ) -> Iterator[tuple[dict[str, Any], Source]]:
        """The object itself, or the items of a List; mirrors unstructured's decodeToList (k8s.io/apimachinery)."""
        if not isinstance(value, dict):
            message = (
                f"{_what(value)} stands where an object belongs; write a mapping with apiVersion, kind and metadata"
            )
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
        documents = "document" if most == 1 else "documents"
        message = (
            f"more than {most} {documents} in one build, the limit (limits.documents); build fewer files at a time"
        )
        return Diagnostic(rules.TOO_MANY_DOCUMENTS, message, place)


def _what(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'the text "{value[:40]}"'
    return "null" if value is None else f"the value {str(value).lower()}"


def _list_items(value: dict[str, Any]) -> list[Any] | None:
    kind, items = value.get("kind"), value.get("items")
    if not isinstance(kind, str) or not kind.endswith("List"):
        return None
    if isinstance(items, list):
        return items
    return [] if kind == "List" and items is None else None


def _as_item(item: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """An item of a typed list may leave out its type: it is the list's kind without "List"."""
    if item.get("kind") or item.get("apiVersion"):
        return item
    return {"apiVersion": whole.get("apiVersion"), "kind": whole["kind"].removesuffix("List")} | {
        key: value for key, value in item.items() if key not in ("apiVersion", "kind")
    }
