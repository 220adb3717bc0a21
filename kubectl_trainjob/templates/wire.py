"""Messages between the build and the process that renders templates: frames of bytes, each led by its length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

_LEAD = 4  # bytes of a length


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


def _exactly(stream: Readable, size: int) -> bytes:
    """`size` bytes, fewer at the stream's end."""
    parts: list[bytes] = []
    while size and (part := stream.read(min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
