"""What the inputs of the two sides say: documents as plain data, and where two of them differ.

An object of either side knows only where the documents stand that it was made of. They are read again, those alone
whose texts differ.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from typing import Any

from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile, value_at
from kubectl_trainjob.model.stages import is_same
from kubectl_trainjob.repository.yaml.read import Reader


class Contents:
    """Reads each file of a comparison once, and compares two places once."""

    def __init__(self) -> None:
        self._files: dict[SourceFile, dict[int, Any]] = {}
        self._texts: dict[Place, str] = {}
        self._differences: dict[tuple[Place, Place], Pointer | None] = {}

    def at(self, place: Place) -> Any:
        """What stands at a place of an unedited document; None where nothing does."""
        source = place.source
        documents = self._files.get(source.file)
        if documents is None:
            documents = self._files[source.file] = _documents(source.file)
        # What was read with higher limits than these is compared as text.
        document = documents.get(source.document, source.file.text)
        return value_at(document, (*source.prefix, *place.pointer))

    def text(self, place: Place) -> str:
        """The same in one spelling."""
        known = self._texts.get(place)
        if known is None:
            known = self._texts[place] = json.dumps(self.at(place), sort_keys=True)
        return known

    def difference(self, old: Place, new: Place) -> Pointer | None:
        """As the function, below two places of unedited documents."""
        key = old, new
        if key not in self._differences:
            self._differences[key] = None if _is_same_text(*key) else difference(self.at(old), self.at(new))
        return self._differences[key]


def _documents(file: SourceFile) -> dict[int, Any]:
    found, _ = Reader().read_values(file)
    return {source.document: value for value, source in found}


def _is_same_text(old: Place, new: Place) -> bool:
    def where(source: Source, pointer: Pointer) -> tuple[str, int, Pointer]:
        return source.file.text, source.document, (*source.prefix, *pointer)

    return where(old.source, old.pointer) == where(new.source, new.pointer)


def difference(old: Any, new: Any) -> Pointer | None:
    """The way to the smallest value that holds all that differs; None where both say the same."""
    if is_same(old, new):
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        keys: Iterable[Any] = {**old, **new}
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        keys = range(len(old))
    else:
        return ()
    ways = {key: way for key in keys if (way := _at_key(old, new, key)) is not None}
    if len(ways) == 1:
        [(key, way)] = ways.items()
        return key, *way
    return () if ways else None


def _at_key(old: Any, new: Any, key: Any) -> Pointer | None:
    """The difference of two entries or items, one of which may be missing."""
    if isinstance(old, dict) and not (key in old and key in new):
        return ()
    return difference(old[key], new[key])


def written_at(source: Source) -> Hashable:
    """Where a document stands, the same wherever its file was read or made several times."""
    file, lines = source.file, source.file.written.lines[:1] if source.file.written else ()
    return file.common_path, lines, source.document, source.prefix
