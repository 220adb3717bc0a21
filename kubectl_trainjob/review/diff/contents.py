"""The contents of the inputs of base and head: documents as plain data, and where two of them differ.

An object knows only the places of the documents that it comes from. Those with different texts are read again.
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
        """The value at a place of an unedited document, or None."""
        source = place.source
        if source.file not in self._files:
            found, _ = Reader().read_values(source.file)
            self._files[source.file] = {each.document: value for value, each in found}
        # A document that was read with higher limits than these is compared as text.
        document = self._files[source.file].get(source.document, source.file.text)
        return value_at(document, (*source.prefix, *place.pointer))

    def text(self, place: Place) -> str:
        """The same in one spelling."""
        if place not in self._texts:
            self._texts[place] = json.dumps(self.at(place), sort_keys=True)
        return self._texts[place]

    def difference(self, old: Place, new: Place) -> Pointer | None:
        """As the function `difference`, for two places of unedited documents."""
        if (old, new) not in self._differences:
            is_same_text = _position(old) == _position(new)
            self._differences[old, new] = None if is_same_text else difference(self.at(old), self.at(new))
        return self._differences[old, new]


def _position(place: Place) -> tuple[str, int, Pointer]:
    source = place.source
    return source.file.text, source.document, (*source.prefix, *place.pointer)


def difference(old: Any, new: Any) -> Pointer | None:
    """The pointer to the smallest value that contains all differences; None if there are none."""
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
    """The difference of two entries or items, of which one may be missing."""
    if isinstance(old, dict) and not (key in old and key in new):
        return ()
    return difference(old[key], new[key])


def written_at(source: Source) -> Hashable:
    """The location of a document, the same each time that its file is read or rendered."""
    file, lines = source.file, source.file.written.lines[:1] if source.file.written else ()
    return file.common_path, lines, source.document, source.prefix
