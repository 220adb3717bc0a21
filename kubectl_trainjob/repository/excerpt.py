"""The source line of a finding, as a terminal may show it, and the carets under it."""

from __future__ import annotations

import re

from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.model.secrets import is_secret_name, without_secrets
from kubectl_trainjob.model.source import SourceFile, Span
from kubectl_trainjob.repository.yaml.stream import Lines

_LONGEST = 160  # characters of a line shown whole
_BEFORE, _AFTER = 50, 90  # characters shown around the caret of a longer one
_TAB = "    "


# The places of the texts of a Secret in a file that may be invalid are unknown. A file may have one if the value of a
# `kind` is not a plain word, or if a key may be `kind` in other words: with an escape, or an alias.
_KIND = re.compile(
    r"""\bkind["']?\s*+:(?P<word>[ \t]*+["']?(?!Secret(?:List)?\b)\w++["']?[ \t]*+(?:[,}#\r\n]|\Z))?""", re.I
)
_HIDDEN_KEY = re.compile(r"""\\[^"\n]{0,40}"[ \t]*+:|^[ \t{,-]*+\*[\w.-]++[ \t]*+:""", re.MULTILINE)

_NAME = re.compile(r"""\bname["']?[ \t]*+:[ \t]*+["']?(?P<name>[\w.-]++)""")
_VALUE = re.compile(r"""\b(?:v|al)\w{1,6}["']?[ \t]*+:""", re.IGNORECASE)  # also misspelt, which is an error
_PATH = re.compile(r"""\bpath["']?[ \t]*+:""")  # of a JSON patch


class Excerpts:
    """The lines of files; only the requested lines are extracted, also from large files."""

    def __init__(self) -> None:
        self._lines: dict[str, Lines | None] = {}  # by text
        self._shown: dict[tuple[str, int], str | None] = {}  # many findings may be on one long line

    def show(self, file: SourceFile, span: Span) -> tuple[str, str] | None:
        """The line of `span` and a line with `^~~~` under its text; None where the file has no such line.

        Also None for files with Secrets, and for lines with the value of a variable that has a secret's name. These are
        not shown.
        """
        line = self.line(file, span.line)
        return None if line is None else mark(line, span)

    def line(self, file: SourceFile, number: int) -> str | None:
        """A whole line, None where `show` shows none."""
        key = file.text, number
        if key not in self._shown:
            self._shown[key] = self._line(file.text, number)
        return self._shown[key]

    def _line(self, text: str, number: int) -> str | None:
        if text not in self._lines:
            self._lines[text] = None if _may_have_secrets(text) else Lines(text)
        lines = self._lines[text]
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


def _may_have_secrets(text: str) -> bool:
    """Whether a file may have an object of kind Secret."""
    return any(found["word"] is None for found in _KIND.finditer(text)) or _HIDDEN_KEY.search(text) is not None


def _has_secret(lines: Lines, number: int, line: str) -> bool:
    """Whether a line has a secret, or the value of a variable with the name of a secret."""
    if without_secrets(line) != line:
        return True
    if not _VALUE.search(line):
        return False
    is_whole = _NAME.search(line) or _is_in_env(line)
    beside = [line] if is_whole else [lines.line(each) or "" for each in (number - 1, number + 1) if each > 0]
    names = (found["name"] for each in beside for found in _NAME.finditer(each))
    return any(map(is_secret_name, names)) or any(map(_is_in_env, beside))


def _is_in_env(line: str) -> bool:
    return "/env/" in line and _PATH.search(line) is not None
