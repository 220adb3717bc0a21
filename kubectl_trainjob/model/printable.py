"""Text from users' files made safe to show: without characters that a terminal interprets or a reader cannot see."""

from __future__ import annotations

import re

COMMAND = re.compile(r"(?<=#)#(?=\w*\[)")
"""The second character of `##[command]` (GitHub), `##vso[` (Azure) and `##teamcity[`, anywhere in a line of a log."""

# Characters that count as letters or marks but are invisible.
_INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
)


def printable(text: str) -> str:
    r"""`text` with control, bidi, zero-width, blank and lone surrogate characters written as `\xNN` or `\uNNNN`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_show, text))


def _show(char: str) -> str:
    code = ord(char)
    if char.isprintable() and code not in _INVISIBLE:
        return char
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def columns(shown: str) -> int:
    """How many columns of a terminal a printable text takes: wide characters two, combining marks none."""
    if shown.isascii():
        return len(shown)
    from unicodedata import category, east_asian_width

    return sum(0 if category(c) in ("Mn", "Me") else 2 if east_asian_width(c) in "WF" else 1 for c in shown)
