"""Which line made a value another one, where it comes from a line of a template that is the same on both sides."""

from __future__ import annotations

from kubectl_trainjob.explain.values import mentioned_values
from kubectl_trainjob.model.source import Place, Source
from kubectl_trainjob.repository.positions import Settle, Spot
from kubectl_trainjob.repository.yaml.stream import LINE_END
from kubectl_trainjob.review.diff.contents import Contents

Places = tuple[Place | None, Place | None]


def edited_places(old: Place | None, new: Place | None, settle: Settle, contents: Contents) -> Places:
    """The places of an old and a new value, as a person would look for what was edited.

    Where both come from a template's line that says the same, that are the first values of the overlays that the line
    mentions and that differ.
    """
    if old is None or new is None:
        return old, new
    before, after = settle(old), settle(new)
    values = _values(before), _values(after)
    if values[0] is None or values[1] is None or _line(before) != _line(after):
        return old, new
    for pointer in mentioned_values(after):
        places = Place(values[0], pointer), Place(values[1], pointer)
        way = contents.difference(*places)
        if way is not None:
            return places[0].child(*way), places[1].child(*way)
    return old, new


def _values(spot: Spot) -> Source | None:
    """The overlay that gave its values to the template that a spot is in."""
    written = spot.made.file.written if spot.made else None
    return written.values if written else None


def _line(spot: Spot) -> str:
    lines = LINE_END.split(spot.file.text)
    return lines[min(spot.span.line, len(lines)) - 1]
