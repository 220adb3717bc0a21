"""The source line of a finding, as a terminal may show it, and the carets under it."""

from __future__ import annotations

import re
from bisect import bisect_left

from kubectl_trainjob.cli.printable import columns, printable
from kubectl_trainjob.source import SourceFile, Span
from kubectl_trainjob.yamlio.stream import Lines

_BREAK = re.compile("[\r\n\x85\u2028\u2029]")  # what ends a line in YAML
_LONGEST = 160  # characters of a line shown whole
_BEFORE, _AFTER = 50, 90  # characters shown around the caret of a longer one
_TAB = "    "


class Excerpts:
    """The lines of files; only the lines asked for are cut out, however large the file."""

    def __init__(self) -> None:
        self._lines: dict[SourceFile, Lines] = {}

    def show(self, file: SourceFile, span: Span) -> tuple[str, str] | None:
        """The line of `span` and a line with `^~~~` under its text; None where the file has no such line."""
        if file not in self._lines:
            self._lines[file] = Lines(file.text)
        line = _line(file.text, self._lines[file], span.line)
        if line is None:
            return None
        start = min(span.column - 1, len(line))
        end = span.end_column - 1 if span.end_line == span.line else len(line)
        return underline(line, start, end)


def _line(text: str, lines: Lines, number: int) -> str | None:
    offsets = range(len(text) + 1)
    start = bisect_left(offsets, number, key=lambda offset: lines.position(offset)[0])
    if start not in offsets:
        return None
    end = _BREAK.search(text, start)
    return text[start : end.start() if end else len(text)]


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
