"""The source line of a finding, as a terminal may show it, and the carets under it."""

from __future__ import annotations

import re

from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.model.source import SourceFile, Span
from kubectl_trainjob.repository.yaml.stream import Lines

_LONGEST = 160  # characters of a line shown whole
_BEFORE, _AFTER = 50, 90  # characters shown around the caret of a longer one
_TAB = "    "


# In any notation. The places of a Secret's texts in a file that may be invalid are unknown.
_SECRET = re.compile(r"""\bkind["']?\s*:\s*(?:[!&|>]\S*\s+)*["']?Secret(?:List)?\b""", re.IGNORECASE)

# A variable that is called like a secret, and its value: on one line in either order, or each on its own.
_NAME = r"""\bname["']?\s*:\s*["']?\w*(?:TOKEN|SECRET|PASSWORD|KEY)\b"""
_VALUE = r"""\bvalue["']?\s*:"""
_ON_ONE_LINE = re.compile(rf"{_NAME}.*{_VALUE}|{_VALUE}.*{_NAME}", re.IGNORECASE)
_NAMED, _VALUED = re.compile(_NAME, re.IGNORECASE), re.compile(rf"^\s*(?:-\s+)?[\"']?{_VALUE}")


class Excerpts:
    """The lines of files; only the requested lines are extracted, also from large files."""

    def __init__(self) -> None:
        self._lines: dict[str, Lines | None] = {}  # by text

    def show(self, file: SourceFile, span: Span) -> tuple[str, str] | None:
        """The line of `span` and a line with `^~~~` under its text; None where the file has no such line.

        Also None for files with Secrets, and for lines with the value of a variable that has a secret's name. These are
        not shown.
        """
        line = self.line(file, span.line)
        return None if line is None else mark(line, span)

    def line(self, file: SourceFile, number: int) -> str | None:
        """A whole line, None where `show` shows none."""
        if file.text not in self._lines:
            self._lines[file.text] = None if _SECRET.search(file.text) else Lines(file.text)
        lines = self._lines[file.text]
        line = lines.line(number) if lines else None
        return None if lines is None or line is None or _has_secret(lines, number, line) else line


def mark(line: str, span: Span) -> tuple[str, str]:
    """The line of `span`, and the carets under its text."""
    start = min(span.column - 1, len(line))
    return underline(line, start, span.end_column - 1 if span.end_line == span.line else len(line))


def underline(line: str, start: int, end: int) -> tuple[str, str]:
    """`line` and the carets under `line[start:end]`; of a long line, only the part around `start` is shown."""
    first, last = (0, len(line)) if len(line) <= _LONGEST else (max(0, start - _BEFORE), start + _AFTER)
    before, marked, after = line[first:start], line[start : min(end, last)], line[max(start, min(end, last)) : last]
    lead = ("..." if first else "") + _plain(before)
    body = _plain(marked)
    shown = lead + body + _plain(after) + ("..." if last < len(line) else "")
    return shown.rstrip(" "), " " * columns(lead) + "^" + "~" * (columns(body) - 1)


def _plain(text: str) -> str:
    return printable(text.replace("\t", _TAB))


def _has_secret(lines: Lines, number: int, line: str) -> bool:
    """Whether a line has the value of a variable with the name of a secret."""
    if _ON_ONE_LINE.search(line):
        return True
    beside = (lines.line(each) or "" for each in (number - 1, number + 1) if each > 0)
    return _VALUED.search(line) is not None and any(_NAMED.search(each) for each in beside)
