"""Places to what a person should look at: a piece of a file that a person wrote.

In: a `Place`, which may lead into an object that overlays edited, or into a text that was made (a rendered template, a
patch inside an overlay). Out: a `Spot`. Three steps: back over the edits of an object to where its value was written;
to lines and columns there (`yamlio.spans`); from a made text to the one that it was made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Related
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span, Written
from kubectl_trainjob.repository.yaml.spans import Spans


class Spot(NamedTuple):
    """A piece of a file that a person wrote; `made` is what was made of it, where the place is in such a text."""

    file: SourceFile
    span: Span
    made: Spot | None = None


Settle = Callable[[Place], Spot]


def rendered_with(values: Source) -> Related:
    """What is to be said beside a problem of a template, or of its text: which overlay gave the values."""
    return Related("rendered with these values", Place(values, ("values",)))


class Locator:
    """Finds the spots of one report; keeps each document that it composed."""

    def __init__(self) -> None:
        self._spans = Spans()

    def settle(self, place: Place) -> Spot:
        """The text of a place; the start of its file where nothing can be composed."""
        place = _traced(place)
        spot = Spot(place.source.file, place.span or self._spans.span(place))
        while (written := spot.file.written) is not None:
            spot = self._as_written(spot, written)
        return spot

    def has(self, place: Place) -> bool:
        """Whether the text of an object that nobody edited has something at the place."""
        return self._spans.has(place)

    def _as_written(self, made: Spot, written: Written) -> Spot:
        """The text that a made one comes from: a whole line, where that line was rewritten."""
        span = made.span
        line = _nth(written.lines, span.line)
        text = self._line(written.file, line)
        if text[written.indent :] != self._line(made.file, span.line):
            whole = Span(line, len(text) - len(text.lstrip()) + 1, line, len(text) + 1)
            return Spot(written.file, whole, made)
        end = _nth(written.lines, span.end_line)
        moved = Span(line, span.column + written.indent, end, span.end_column + written.indent)
        return Spot(written.file, moved, made)

    def _line(self, file: SourceFile, number: int) -> str:
        """A line of a file; the last one where it has fewer."""
        lines = self._spans.lines(file)
        found = lines.line(number)
        return found if found is not None else lines.line(lines.count) or ""


def _traced(place: Place) -> Place:
    """The place before any edit."""
    while (edits := place.source.edits) is not None:
        plain = replace(place.source, edits=None)
        found = edits.origin(place.pointer).first_place()
        place = replace(found, on=place.on) if found else replace(place, source=plain)
    return place


def _nth(items: Sequence[int], number: int) -> int:
    """Item `number`, counted from 1; the last one where there are fewer."""
    return items[min(number, len(items)) - 1]
