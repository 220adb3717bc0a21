"""The protocol between the build and the process that renders templates: frames of bytes, each after its length.

The process sends READY once. A request is three frames: its limits as JSON, the template, the context as JSON. So is
its answer: how the rendering ended (`Ending`), the parts that it sent, Python's report of a crash. The parts are frames
in a frame, each after one of the letters below. Both processes import this module, therefore its imports are light.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, Protocol, Self, get_args

from kubectl_trainjob.model.message import Data, Message
from kubectl_trainjob.model.source import Span
from kubectl_trainjob.repository.yaml.stream import Lines

READY = b"ready"

TABLE = b"D"
"""Jinja2's table from lines of code to lines of the template, for a rendering that crashes."""

TEXT = b"T"
LINES = b"L"
"""The template's line of each rendered line, each an `array` item of type LINE; not sent for more than MOST_LINES."""

PROBLEM = b"E"
"""A `RenderingError`, the last part; there is no text."""

LINE = "I"
MOST_LINES = 100_000  # lines of a rendered text; more are not mapped

Kind = Literal["syntax", "undefined", "unsafe", "failed", "memory", "output", "depth", "range"]
"""Of a problem."""

_LIMITS = ("memory", "output", "depth", "range")  # problems whose messages the build writes

_WORDS = re.compile(r"[\w ,.;:?'\"()%+…-]*")
"""The characters of our own words: no markup, and no control characters."""

_LEAD = 4  # bytes of a length
_NO_MESSAGE = Message()


class TemplateRequest(NamedTuple):
    """One template to render, in `seconds` of processor time and `wall` seconds.

    `text` is the most bytes of its text, `most` those that may be sent for it altogether.
    """

    seconds: int
    wall: float
    memory: int
    text: int
    most: int
    source: str
    context: bytes

    def encode(self) -> tuple[bytes, bytes, bytes]:
        """Its frames."""
        return json.dumps(self[:5]).encode(), self.source.encode(), self.context

    @classmethod
    def decode(cls, limits: bytes, source: bytes, context: bytes) -> Self:
        """The request of three frames, which come from the build and are valid."""
        seconds, wall, memory, text, most = json.loads(limits)
        return cls(seconds, wall, memory, text, most, source.decode(), context)


class Ending(NamedTuple):
    """How a rendering ended: its exit code, negative for a signal, whether it sent too much, and its CPU time."""

    code: int
    is_flood: bool
    seconds: float

    def encode(self) -> bytes:
        """Its frame."""
        return json.dumps(self).encode()

    @classmethod
    def decode(cls, body: bytes) -> Self:
        """Raises ValueError, TypeError or RecursionError for an invalid frame."""
        code, is_flood, seconds = json.loads(body)
        if not float(seconds) >= 0:
            raise ValueError
        return cls(_number(code), bool(is_flood), float(seconds))


class RenderingError(Exception):
    """Why there is no text; `line` as Jinja counts, 0 where it is not known; `column` from 1, 0 for the whole line."""

    def __init__(self, kind: Kind, message: Message = _NO_MESSAGE, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.kind, self.message, self.line, self.column = kind, message, line, column

    def encode(self) -> bytes:
        """Its frame, in ASCII, because a message can quote half a character."""
        pieces = [[each.text, each.is_quoted] if isinstance(each, Data) else each for each in self.message.pieces]
        return json.dumps([self.kind, pieces, self.line, self.column]).encode()

    @classmethod
    def decode(cls, body: bytes) -> Self:
        """Raises ValueError, TypeError, KeyError or RecursionError for what is not a problem."""
        kind, pieces, line, column = json.loads(body)
        message = Message(*map(_piece, pieces))
        if kind not in get_args(Kind) or not (message or kind in _LIMITS):
            raise ValueError
        return cls(kind, message, _number(line), _number(column))


class ProtocolError(Exception):
    """Received bytes are not a frame, or a frame is too large."""


class Readable(Protocol):
    """A binary stream; a read may return fewer bytes than requested, and none at its end."""

    def read(self, size: int, /) -> bytes | None:
        """At most `size` bytes."""


def frame(body: bytes) -> bytes:
    """A body after its length."""
    return len(body).to_bytes(_LEAD, "big") + body


def read_frame(stream: Readable, most: int) -> bytes | None:
    """The next body; None at the end. Raises ProtocolError for more than `most` bytes, or part of a frame."""
    lead = _exactly(stream, _LEAD)
    if not lead:
        return None
    size = int.from_bytes(lead, "big")
    if len(lead) < _LEAD or size > most:
        raise ProtocolError
    body = _exactly(stream, size)
    if len(body) < size:
        raise ProtocolError
    return body


def split(data: bytes) -> Iterator[bytes]:
    """The bodies of frames in a row; raises ProtocolError for part of a frame."""
    start = 0
    while start < len(data):
        end = start + _LEAD + int.from_bytes(data[start : start + _LEAD], "big")
        if end > len(data):
            raise ProtocolError
        yield data[start + _LEAD : end]
        start = end


def _piece(sent: Any) -> str | Data:
    """A piece of a message: words, or data as a list of its text and whether it has quotes."""
    match sent:
        case str() if _WORDS.fullmatch(sent):
            return sent
        case [str(text), bool(is_quoted)]:
            return Data(text, is_quoted)
    raise ValueError


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value


def _exactly(stream: Readable, size: int) -> bytes:
    """`size` bytes, fewer at the end of the stream."""
    parts: list[bytes] = []
    while size and (part := stream.read(min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


TEMPLATE_LINE_END = re.compile("\r\n|[\n\r]")
"""Where a template's lines end as Jinja counts them; YAML counts more."""

BLANKS = re.compile("[ \t]*")


def line_span(template: str, line: int, column: int = 0) -> Span:
    """A line of a template, as Jinja counts, without the blanks around it; the first or last one if there is none.

    With a column, the character there.
    """
    start, end = 0, len(template)
    for number, found in enumerate(TEMPLATE_LINE_END.finditer(template), 1):
        if number >= line:
            end = found.start()
            break
        start = found.end()
    if 0 < column <= end - start:
        return Lines(template).span(start + column - 1, start + column)
    blanks = BLANKS.match(template, start, end)
    return Lines(template).span(blanks.end() if blanks else start, end)


def code_line(table: str, line: int) -> int:
    """The line for a line of code, by Jinja2's table: `1=10&3=12` (line of the template, first line of its code)."""
    pairs = [pair.split("=") for pair in table.split("&") if pair]
    return next((int(ours) for ours, first in reversed(pairs) if int(first) <= line), 1)
