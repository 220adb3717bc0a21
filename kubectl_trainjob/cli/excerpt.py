"""The source line of a finding, as a terminal may show it, and the carets under it."""

from __future__ import annotations

import re

from kubectl_trainjob.cli.printable import columns, printable
from kubectl_trainjob.source import SourceFile, Span

_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # what ends a line in YAML
_LONGEST = 160  # characters of a line shown whole
_BEFORE, _AFTER = 50, 90  # characters shown around the caret of a longer one
_TAB = "    "


class Excerpts:
    """The lines of files, each file split once."""

    def __init__(self) -> None:
        self._lines: dict[SourceFile, list[str]] = {}

    def show(self, file: SourceFile, span: Span) -> tuple[str, str] | None:
        """The line of `span` and a line with `^~~~` under its text; None where the file has no such line."""
        lines = self._lines.get(file)
        if lines is None:
            lines = self._lines[file] = _split(file.text)
        if span.line > len(lines):
            return None
        line = lines[span.line - 1]
        start = min(span.column - 1, len(line))
        end = span.end_column - 1 if span.end_line == span.line else len(line)
        return underline(line, start, end)


def _split(text: str) -> list[str]:
    if text.isascii() and "\r" not in text:
        return text.split("\n")
    return _BREAK.split(text)


def underline(line: str, start: int, end: int) -> tuple[str, str]:
    """`line` and the carets under `line[start:end]`; of a long line only the surroundings of `start` are shown."""
    first, last = (0, len(line)) if len(line) <= _LONGEST else (max(0, start - _BEFORE), start + _AFTER)
    before, marked, after = line[first:start], line[start : min(end, last)], line[max(start, min(end, last)) : last]
    lead = ("..." if first else "") + _plain(before)
    body = _plain(marked)
    shown = lead + body + _plain(after) + ("..." if last < len(line) else "")
    return shown.rstrip(" "), " " * columns(lead) + "^" + "~" * (columns(body) - 1)


def _plain(text: str) -> str:
    return printable(text.replace("\t", _TAB))
