"""A text of limited length: parts are added whole as long as there is room."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_trainjob.report.markdown_syntax import length

RESERVED = 400  # characters for the words about what is not shown


class Page:
    """Lines of Markdown, of at most `most` characters as forges count them; `RESERVED` of them are for its end.

    The head is there in any case.
    """

    def __init__(self, most: int, head: Sequence[str]) -> None:
        self._lines = list(head)
        self._room = most - RESERVED - sum(length(line) + 1 for line in head)

    def add(self, lines: Sequence[str]) -> bool:
        """Add the lines, all or none; whether there was room."""
        size = sum(length(line) + 1 for line in lines)
        if size > self._room:
            return False
        self._room -= size
        self._lines += lines
        return True

    def text(self, *closing: str) -> str:
        """The whole, with the lines of its end."""
        return "\n".join([*self._lines, *closing]) + "\n"
