"""Messages that several reports share, and what renderers do with the pieces of a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kubectl_trainjob.model.message import Data, Message, joined, plural, say, truncate
from kubectl_trainjob.model.printable import COMMAND, printable

_DRAWN = re.compile("(\x1b\\[[0-9;]{0,40}[mK]|\t)")  # colour, or the end of a line that is erased
_COMMAND_LINE = re.compile(r"\A(\s*):(?=:)")  # of GitHub


def coded(message: Message) -> tuple[str | Data, ...]:
    """The words and the pieces to show as code: data, and what backticks enclose in our words."""
    return tuple(_without_backticks(message.pieces)) if "`" in message else message.pieces


def _without_backticks(pieces: tuple[str | Data, ...]) -> Iterator[str | Data]:
    code: str | None = None
    for piece in pieces:
        if isinstance(piece, Data):
            if code is None:
                yield piece
            else:
                code += piece.text
            continue
        for number, part in enumerate(piece.split("`")):
            if number and code is not None:
                yield Data(code)
                code = None
            elif number:
                code = ""
            if code is not None:
                code += part
            elif part:
                yield part
    if code:
        yield Data(code)


def whole(text: str) -> Message:
    """Data that is never truncated."""
    return Message(Data(text))


def located(path: str, line: int) -> Message:
    """`path:line`."""
    return Message(Data(f"{truncate(path)}:{line}"))


def capitalize(text: str) -> str:
    """The text with a capital letter."""
    return text[:1].upper() + text[1:]


def first_of(names: Sequence[Message], most: int) -> Message:
    """`a, b and 7 more`."""
    shown, rest = joined(names[:most]), len(names) - most
    return say("{} and {} more", shown, rest) if rest > 0 else shown


def more(count: int, noun: str) -> list[Message]:
    """A sentence about `count` items that are not shown; empty for 0."""
    if count <= 0:
        return []
    return [say("{} is not shown" if count == 1 else "{} are not shown", plural(count, f"more {noun}"))]


def without_commands(text: str) -> str:
    r"""A piece of a line without commands (`#\x23[`)."""
    return COMMAND.sub(r"\\x23", text) if "##" in text else text


def without_command_at_start(line: str) -> str:
    r"""A line that begins with no command (`\x3a:`)."""
    return _COMMAND_LINE.sub(r"\1\\x3a", line)


def shown_lines(lines: Iterable[str]) -> str:
    """The text of lines with data, of which no terminal and no CI system interprets anything."""
    return as_lines(map(printable, lines))


def as_lines(lines: Iterable[str]) -> str:
    """The text of printable lines, none of which a CI system takes for a command."""
    return "".join(f"{without_command_at_start(without_commands(line))}\n" for line in lines)


def log_line(line: bytes, *, is_terminal: bool) -> bytes:
    """A line of a log, in which only colour, tabs and the carriage returns of progress bars have an effect.

    For a CI system, a carriage return ends a line, and the next one may be a command.
    """
    text = line.decode("utf-8", "backslashreplace").removesuffix("\r")
    rows = text.split("\r") if is_terminal else [text]
    return "\r".join(map(_log_row, rows)).encode() + b"\n"


def _log_row(row: str) -> str:
    parts = _DRAWN.split(row)
    parts[::2] = map(printable, parts[::2])
    return as_lines(["".join(parts)])[:-1]
