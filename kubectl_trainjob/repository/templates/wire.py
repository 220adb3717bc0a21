"""All that the build and the process that renders templates say to each other, in frames of bytes, each led by its
length.

The process says READY once. A request is three frames: its limits as JSON, the template, the context as JSON. So is its
answer: how the rendering ended (`Ending`), what it sent, what Python reported of its death. What it sent are frames
in a frame, each led by one of the letters below. This module is part of both sides, and imports nothing heavy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, Self

READY = b"ready"

TABLE = b"D"
"""Jinja2's table from lines of code to lines of the template, for the case that the rendering dies."""

TEXT = b"T"
LINES = b"L"
"""The template's line of each rendered line, each an `array` item of type LINE; not sent for more than MOST_LINES."""

PROBLEM = b"E"
"""A `Problem`, which ends the message; there is no text."""

LINE = "I"
MOST_LINES = 100_000  # lines of a rendered text; it costs more than it is worth to map more of them

Kind = Literal["syntax", "undefined", "unsafe", "failed", "memory", "output", "depth", "range"]
"""Of a problem. The last four are limits, whose messages the build writes."""

_LEAD = 4  # bytes of a length


@dataclass(frozen=True, slots=True)
class Request:
    """One template to render. `text` is the bytes that it may give, `most` those that may be sent for it altogether."""

    seconds: int
    memory: int
    text: int
    most: int
    source: str
    context: bytes

    def encode(self) -> tuple[bytes, bytes, bytes]:
        """Its frames."""
        limits = {"seconds": self.seconds, "memory": self.memory, "text": self.text, "most": self.most}
        return json.dumps(limits).encode(), self.source.encode(), self.context

    @classmethod
    def decode(cls, limits: bytes, source: bytes, context: bytes) -> Self:
        """The request of three frames, which the build sent: it is believed."""
        return cls(**json.loads(limits), source=source.decode(), context=context)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a rendering ended: its exit code, negative for a signal, and whether it sent more than it may."""

    code: int
    is_flood: bool

    def encode(self) -> bytes:
        """Its frame."""
        return json.dumps({"code": self.code, "is_flood": self.is_flood}).encode()

    @classmethod
    def decode(cls, body: bytes) -> Self:
        """Raises ValueError, TypeError, KeyError or RecursionError for what is none."""
        fields = json.loads(body)
        return cls(_number(fields["code"]), bool(fields["is_flood"]))


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no text; `line` as Jinja counts, 0 where it is not known; `column` from 1, 0 for the whole line."""

    kind: str
    message: str
    line: int
    column: int

    def encode(self) -> bytes:
        """Its frame, in ASCII, because a message can quote half a character."""
        fields = {"kind": self.kind, "message": self.message, "line": self.line, "column": self.column}
        return json.dumps(fields).encode()

    @classmethod
    def decode(cls, body: bytes) -> Self:
        """Raises ValueError, TypeError, KeyError or RecursionError for what is none."""
        fields = json.loads(body)
        kind, message = fields["kind"], fields["message"]
        if not isinstance(kind, str) or not isinstance(message, str):
            raise TypeError
        return cls(kind, message, _number(fields["line"]), _number(fields["column"]))


class WireError(Exception):
    """What came is no frame, or one that is larger than agreed."""


class Readable(Protocol):
    """A binary stream; a read may give fewer bytes than asked for, and none at its end."""

    def read(self, size: int, /) -> bytes | None:
        """At most `size` bytes."""


def frame(body: bytes) -> bytes:
    """A body with its length in front."""
    return len(body).to_bytes(_LEAD, "big") + body


def read_frame(stream: Readable, most: int) -> bytes | None:
    """The next body; None where the stream ends before it. Raises WireError for more than `most` bytes, or half."""
    lead = _exactly(stream, _LEAD)
    if not lead:
        return None
    size = int.from_bytes(lead, "big")
    if len(lead) < _LEAD or size > most:
        raise WireError
    body = _exactly(stream, size)
    if len(body) < size:
        raise WireError
    return body


def split(data: bytes) -> Iterator[bytes]:
    """The bodies of frames in a row; raises WireError where half a frame is left."""
    start = 0
    while start < len(data):
        end = start + _LEAD + int.from_bytes(data[start : start + _LEAD], "big")
        if end > len(data):
            raise WireError
        yield data[start + _LEAD : end]
        start = end


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value


def _exactly(stream: Readable, size: int) -> bytes:
    """`size` bytes, fewer at the stream's end."""
    parts: list[bytes] = []
    while size and (part := stream.read(min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
