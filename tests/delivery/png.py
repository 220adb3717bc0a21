"""PNG, as much of it as pictures of text need: what one says of itself, and one of fewer colours, so of fewer bytes."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB = (8, 2, 0, 0, 0)  # depth, colour, compression, filters, interlacing
_PALETTE = (8, 3, 0, 0, 0)
_MOST_COLOURS = 256
_FREQUENT = 48


class Png(NamedTuple):
    """Pixels across and down, and the text that is kept under `Source`, "" for none."""

    width: int
    height: int
    source: str


def read(data: bytes) -> Png:
    """What a PNG says of itself. Raises ValueError for data that is none."""
    parts = dict(_chunks(data))
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    return Png(width, height, parts.get(b"tEXt", b"").partition(b"\0")[2].decode("ascii"))


def small(data: bytes, source: str) -> bytes:
    """A PNG of RGB with fewer colours, each other one as the most similar of them; `source` is kept in it.

    Raises ValueError for another PNG.
    """
    width, height, _ = read(data)
    parts = list(_chunks(data))
    if parts[0][1][8:] != bytes(_RGB):
        raise ValueError("not a PNG of 8 bits RGB without interlacing")
    rows = list(_rows(zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT")), 3 * width))
    counts = Counter(colour for row in rows for colour in _colours(row))
    palette = _palette(counts)
    numbers = {colour: _nearest(colour, palette) for colour in counts}
    lines = b"".join(b"\0" + bytes(numbers[colour] for colour in _colours(row)) for row in rows)
    written = (
        (b"IHDR", struct.pack(">II5B", width, height, *_PALETTE)),
        (b"tEXt", b"Source\0" + source.encode("ascii")),
        (b"PLTE", b"".join(palette)),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(*each) for each in written)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not data.startswith(_SIGNATURE):
        raise ValueError("not a PNG")
    at = len(_SIGNATURE)
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + 8 + size]
        at += size + 12


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _colours(row: bytes) -> Iterator[bytes]:
    return (row[at : at + 3] for at in range(0, len(row), 3))


def _palette(counts: Counter[bytes]) -> list[bytes]:
    """The frequent colours, and one of each kind, so that a sign in a rare colour keeps it."""
    colours = [colour for colour, _ in counts.most_common()]
    kinds = {tuple(value >> 5 for value in colour): colour for colour in reversed(colours)}
    of_kinds = sorted(kinds.values(), key=colours.index)
    return list(dict.fromkeys((*colours[:_FREQUENT], *of_kinds)))[:_MOST_COLOURS]


def _nearest(colour: bytes, palette: list[bytes]) -> int:
    distances = [sum((a - b) ** 2 for a, b in zip(colour, each, strict=True)) for each in palette]
    return distances.index(min(distances))


def _rows(data: bytes, size: int) -> Iterator[bytes]:
    """The rows without their filters."""
    above = bytes(size)
    for at in range(0, len(data), size + 1):
        above = _unfiltered(data[at], data[at + 1 : at + 1 + size], above)
        yield above


def _unfiltered(kind: int, row: bytes, above: bytes) -> bytes:
    """PNG's five filters (RFC 2083, 6)."""
    if kind == 0:
        return row
    if kind == 1:
        channels = [bytes(accumulate(row[at::3], lambda a, b: (a + b) & 255)) for at in range(3)]
        return bytes(value for pixel in zip(*channels, strict=True) for value in pixel)
    if kind == 2:
        return bytes((a + b) & 255 for a, b in zip(row, above, strict=True))
    done = bytearray(3)  # a pixel to the left of the first
    upper = bytes(3) + above
    for at, value in enumerate(row):
        left, up, corner = done[at], upper[at + 3], upper[at]
        done.append((value + ((left + up) // 2 if kind == 3 else _paeth(left, up, corner))) & 255)
    return bytes(done[3:])


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda each: abs(guess - each))
