"""Lines of YAML with notes beside them, as comments: what is copied from the screen is the same YAML.

A note on a line inside a text of several lines would be a part of the text: the caller gives none there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

_APART = 8  # lines without a note that part one group of notes from the next
_JUMP = 16  # columns; a longer line moves no other line's note
_BETWEEN = 2


class LineNote(NamedTuple):
    """The note of a line: `file` is "" for none; `rest` may be "" if there is a file."""

    file: str
    line: int
    rest: str = ""


def abbreviated(notes: Sequence[LineNote | None]) -> list[str]:
    """A text for each line, "" for None: `FILE:LINE REST`, and `:LINE REST` below a note of the same file.

    A group of notes begins with a file's name.
    """
    texts = [""] * len(notes)
    for group in _groups([note is not None for note in notes]):
        above = ""
        for index in group:
            note = notes[index]
            if note is not None:
                texts[index] = _text(note, above)
                above = "" if ":" in note.rest else note.file  # which may name another file
    return texts


def beside(lines: Sequence[tuple[str, str]], width: int, columns: Callable[[str], int] = len) -> list[str]:
    """Each (text, note) as one line, the notes of a group in one column; without a note only the text.

    Notes begin within `width` columns less the longest of them, or half of `width` if that is more. They are close to
    the end of most lines of a group; a longer line has its note directly after it. `columns` returns the width of a
    text on a screen.
    """
    shown = [text for text, _ in lines]
    for group in _groups([bool(note) for _, note in lines]):
        noted = [index for index in group if lines[index][1]]
        widths = {index: columns(lines[index][0]) for index in noted}
        most = width - max(columns(_comment(lines[index][1])) for index in noted) - _BETWEEN
        column = _column(sorted(widths.values()), max(most, width // 2))
        for index in noted:
            text, note = lines[index]
            blanks = max(column - widths[index], 0) + _BETWEEN
            shown[index] = text + " " * blanks + _comment(note)
    return shown


def _groups(has_note: Sequence[bool]) -> Iterator[range]:
    """The lines from the first to the last note of each group."""
    noted = [index for index, has in enumerate(has_note) if has]
    start = 0
    for place, index in enumerate(noted):
        if place + 1 == len(noted) or noted[place + 1] - index > _APART:
            yield range(noted[start], index + 1)
            start = place + 1


def _column(widths: Sequence[int], most: int) -> int:
    """The width of the longest line before the notes; `widths` is sorted."""
    column = widths[(len(widths) - 1) // 2]
    for width in widths:
        if column < width <= min(column + _JUMP, most):
            column = width
    return min(column, most)


def _text(note: LineNote, above: str) -> str:
    if not note.file:
        return note.rest
    where = f":{note.line}" if note.file == above else f"{note.file}:{note.line}"
    return f"{where} {note.rest}" if note.rest else where


def _comment(note: str) -> str:
    return f"# {note}"
