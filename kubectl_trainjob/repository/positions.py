"""Converts places to locations: parts of files that users wrote.

In: a `Place`, in an object that overlays may have edited, or in a generated text (a rendered template, an inline
patch). Out: a `Location`. Three steps: back over the edits of an object to the origin of its value; to lines and
columns there (`yaml.spans`); from a generated text to the file that it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import RelatedPlace
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span, TextOrigin
from kubectl_trainjob.repository.yaml.spans import Spans


class Location(NamedTuple):
    """A part of a file that a user wrote; `generated` is the location in the text generated from it, if any."""

    file: SourceFile
    span: Span
    generated: Location | None = None

    def __str__(self) -> str:
        return f"{self.file.path}:{self.span.line}"


ResolvePlace = Callable[[Place], Location]


def rendered_with(values: Source) -> RelatedPlace:
    """For a problem in a template or its text: the overlay that provides the values."""
    return RelatedPlace(say("rendered with these values"), Place(values, ("values",)))


class Locator:
    """Finds the locations of one report; keeps each document that it composed."""

    def __init__(self) -> None:
        self._spans = Spans()

    def resolve(self, place: Place) -> Location:
        """The location of a place; the start of its file if the file cannot be parsed."""
        place = _trace(place)
        location = Location(place.source.file, place.span or self._spans.span(place))
        while (written := location.file.written) is not None:
            location = self._as_written(location, written)
        return location

    def has(self, place: Place) -> bool:
        """Whether the text of an object without edits has a value at the place."""
        return self._spans.has(place)

    def _as_written(self, generated: Location, written: TextOrigin) -> Location:
        """The source of a location in a generated text; a whole line, if that line was rewritten."""
        span = generated.span
        line = _nth(written.lines, span.line)
        text = self._line(written.file, line)
        if text[written.indent :] != self._line(generated.file, span.line):
            whole = Span(line, len(text) - len(text.lstrip()) + 1, line, len(text) + 1)
            return Location(written.file, whole, generated)
        end = _nth(written.lines, span.end_line)
        moved = Span(line, span.column + written.indent, end, span.end_column + written.indent)
        return Location(written.file, moved, generated)

    def _line(self, file: SourceFile, number: int) -> str:
        """A line of a file; the last one where it has fewer."""
        lines = self._spans.lines(file)
        found = lines.line(number)
        return found if found is not None else lines.line(lines.count) or ""


def _trace(place: Place) -> Place:
    """The place before any edit."""
    while (edits := place.source.edits) is not None:
        plain = replace(place.source, edits=None)
        found = edits.origin(place.pointer).first_place()
        place = replace(found, on=place.on) if found else replace(place, source=plain)
    return place


def _nth(items: Sequence[int], number: int) -> int:
    """Item `number`, counted from 1; the last one where there are fewer."""
    return items[min(number, len(items)) - 1]
