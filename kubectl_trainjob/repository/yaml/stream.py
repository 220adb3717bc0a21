"""A file as its documents, and offsets as lines and columns.

kubectl cuts a YAML stream at lines that begin with `---` before anything is parsed (k8s.io/apimachinery/pkg/util/yaml,
YAMLReader). It reads a file that begins with `{` as JSON objects in a row. `read` and `spans` both start from the
pieces made here, so they count documents in the same way.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import Span

LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""Where lines end as YAML counts them, and so every diagnostic."""

_JSON_BLANKS = " \t\r\n"
_SEPARATOR = re.compile(r"^---", re.MULTILINE)
# Possessive (*+), here and in the other patterns over whole files: what matched one way is not tried another way.
_NO_DOCUMENT = re.compile(r"(?:[ \t]*+(?:#[^\n]*+|\r)?\n)*+[ \t]*+(?:#[^\n]*+)?")
_ESCAPED_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


@dataclass(frozen=True, slots=True)
class Piece:
    """One document's text; `number` counts from 0, `start` is its offset in the file."""

    number: int
    start: int
    text: str
    is_json: bool = False


class Lines:
    """Offsets in a text to lines and columns from 1; lines end where YAML says.

    Counts from checkpoints: a text of only line ends needs no list of them.
    """

    _STEP = 1 << 12

    def __init__(self, text: str) -> None:
        self._text = text
        self._breaks = [mark for mark in "\n\r\x85\u2028\u2029" if mark in text]
        self._ends = [0]
        self._counts = [1]
        self._last_breaks = [-1]  # before each checkpoint
        self._last = 1, 0  # the last requested line and its offset: the next one is often near

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        if self._splits_line_end(offset):
            offset -= 1
        self._count_up_to(offset)
        nearest = bisect_right(self._ends, offset) - 1
        line = self._counts[nearest] + self._breaks_in(self._ends[nearest], offset)
        return line, offset - self._break_before(nearest, offset)

    def span(self, start: int, end: int) -> Span:
        """The piece of text between two offsets, without the blanks after it; at least one column wide."""
        end = max(start + len(self._text[start:end].rstrip()), start + 1)
        line, column = self.position(start)
        last_line, last_column = self.position(min(end, len(self._text)))
        return Span(line, column, *((last_line, last_column) if end <= len(self._text) else (line, column + 1)))

    @property
    def count(self) -> int:
        """The count of lines, with the one after the last line end."""
        return self.position(len(self._text))[0]

    def line(self, number: int) -> str | None:
        """The text of a line without its end, None where there are fewer lines."""
        return next(self.since(number), None)

    def since(self, number: int) -> Iterator[str]:
        """The texts of a line and all lines after it, without their ends; after the last line end is an empty line."""
        self._count_up_to(len(self._text))
        nearest = max(bisect_left(self._counts, number) - 1, 0)  # in a line above, or the start of the text
        line, start = self._counts[nearest], self._ends[nearest]
        if line < self._last[0] <= number:
            line, start = self._last
        elif number == self._last[0] - 1 > 0:
            line, start = number, self._start_before(self._last[1])
        for end in LINE_END.finditer(self._text, start):
            if line == number:
                self._last = line, start
            if line >= number:
                yield self._text[start : end.start()]
            line, start = line + 1, end.end()
        if line >= number:
            yield self._text[start:]

    def _start_before(self, start: int) -> int:
        """The start of the line before the one that starts at an offset."""
        end = start - 1 - (self._text[start - 2 : start] == "\r\n")
        return self._break_before(bisect_right(self._ends, end) - 1, end) + 1

    def _count_up_to(self, offset: int) -> None:
        while self._ends[-1] + self._STEP <= offset:
            end = self._ends[-1] + self._STEP
            end -= self._splits_line_end(end)
            self._counts.append(self._counts[-1] + self._breaks_in(self._ends[-1], end))
            self._last_breaks.append(self._break_before(-1, end))
            self._ends.append(end)

    def _splits_line_end(self, offset: int) -> bool:
        return self._text[max(offset - 1, 0) : offset + 1] == "\r\n"

    def _break_before(self, checkpoint: int, offset: int) -> int:
        """The offset of the last line end between a checkpoint and an offset, else before the checkpoint; or -1."""
        found = max((self._text.rfind(mark, self._ends[checkpoint], offset) for mark in self._breaks), default=-1)
        return self._last_breaks[checkpoint] if found < 0 else found

    def _breaks_in(self, start: int, end: int) -> int:
        text = self._text
        return sum(text.count(mark, start, end) for mark in self._breaks) - text.count("\r\n", start, end)


class TooManyError(Exception):
    """A file holds more documents than allowed; `offset` is where the first one too many begins."""

    def __init__(self, offset: int) -> None:
        super().__init__("too many documents")
        self.offset = offset


def is_json(text: str) -> bool:
    """Whether kubectl tries JSON first."""
    return text.lstrip(_JSON_BLANKS).startswith("{")


def pieces(text: str, most: int = 1 << 62) -> list[Piece]:
    """The documents of a file, empty ones included; raises TooManyError for more than `most`."""
    if is_json(text) and (objects := _json_pieces(text, most)) is not None:
        return objects
    starts = [match.start() for match in islice(_SEPARATOR.finditer(text), most + 1)]
    first = starts[0] if starts else len(text)
    if _NO_DOCUMENT.fullmatch(text, 0, first) is None:
        starts.insert(0, 0)
    if len(starts) > most:
        raise TooManyError(starts[most])
    spans = pairwise([*starts, len(text)])
    return [Piece(number, start, text[start:end]) for number, (start, end) in enumerate(spans)]


def is_dense(text: str, limits: Limits) -> bool:
    """Whether a document has so many lines and commas that composing it could take more memory than a build should."""
    return len(text) > limits.entries and text.count(",") + text.count("\n") > limits.entries


def _json_pieces(text: str, most: int) -> list[Piece] | None:
    """Objects in a row; None where the text is not all JSON."""
    decoder = json.JSONDecoder(parse_int=str, parse_float=str)
    found: list[Piece] = []
    at = skip_blanks(text, 0)
    try:
        while at < len(text):
            _, end = decoder.raw_decode(text, at)
            found.append(Piece(len(found), at, text[at:end], is_json=True))
            if len(found) > most:
                raise TooManyError(at)
            at = skip_blanks(text, end)
    except (ValueError, RecursionError):
        return None
    return found


def skip_blanks(text: str, at: int) -> int:
    """The offset of the next character that JSON does not ignore."""
    while at < len(text) and text[at] in _JSON_BLANKS:
        at += 1
    return at


def whole_surrogates_hidden(text: str) -> str:
    r"""JSON may write a character as two escapes (`\ud83d\ude00`), YAML may not: other escapes of the same length."""
    return _ESCAPED_PAIR.sub(lambda match: match[1] + r"\u00b7\u00b7", text)
