"""A text of limited length: parts are added whole as long as there is room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubectl_trainjob.report.markdown_syntax import length

RESERVED = 400  # characters for the words about what is not shown


def size(lines: Sequence[str]) -> int:
    """The characters of the lines and of their ends, as forges count them."""
    return sum(length(line) + 1 for line in lines)


class Page:
    """Lines of Markdown, of at most `most` characters as forges count them; `RESERVED` of them are for its end.

    The head is there in any case. What is added at a lower place stands before what is added at a higher one: so the
    order in which parts take their room need not be the order in which people read them.
    """

    def __init__(self, most: int, head: Sequence[str]) -> None:
        self._places: dict[int, list[str]] = {0: list(head)}
        self._room = most - RESERVED - size(head)

    @property
    def room(self) -> int:
        """How many characters there is room for."""
        return self._room

    def add(self, lines: Sequence[str], place: int = 0) -> bool:
        """Add the lines, all or none; whether there was room."""
        taken = size(lines)
        if taken > self._room:
            return False
        self._room -= taken
        self._places.setdefault(place, []).extend(lines)
        return True

    def text(self, *closing: str) -> str:
        """The whole, with the lines of its end."""
        lines = [line for place in sorted(self._places) for line in self._places[place]]
        return "\n".join([*lines, *closing]) + "\n"


def fitting(parts: Iterable[Sequence[str]], room: int) -> int:
    """How many of the first parts there is room for, together. No part behind these is looked at but one."""
    count = 0
    for lines in parts:
        room -= size(lines)
        if room < 0:
            break
        count += 1
    return count
