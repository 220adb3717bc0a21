"""The source line of a finding, as a terminal may show it, and the carets under it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.model.secret_texts import without_secrets
from kubectl_trainjob.model.secrets import is_secret_name
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
_FROM = re.compile(r"""\b(?:valueFrom|[a-zA-Z]{1,40}Ref)["']?[ \t]*+:""")
_OPTION = re.compile(r"""(?:^|[\s\[,])["']?--?(?P<name>[\w.-]++)["']?,?[ \t]*+(?:#|$)""")
_BLANK = re.compile(r"[ \t]*(?:#|$)")
_MOST_LINES = 20  # above or below a value, in which its name is
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
    """Whether a line has a secret, or a part of the value of a secret variable or option."""
    if without_secrets(line.replace(",", " ")) != line.replace(",", " "):
        return True
    has_value = _VALUE.search(line) is not None
    if has_value and (_NAME.search(line) or _is_in_env(line)):
        return _names_secret(line)
    below = _below(lines, number, line) if has_value else ()
    return any(map(_names_secret, [*_above(lines, number, line), *below]))


def _below(lines: Lines, number: int, line: str) -> Iterator[str]:
    """The next line, and those after it that are keys of the same mapping."""
    yield lines.line(number + 1) or ""
    column = len(line) - len(line.lstrip(" -"))
    for later in map(lines.line, range(number + 1, number + _MOST_LINES)):
        if later is None or (_indent(later) < column and not _BLANK.match(later)):
            return
        if _indent(later) == column:
            yield later


def _above(lines: Lines, number: int, line: str) -> Iterator[str]:
    """The lines before a line of the same object, and those it is below: all that may name it. For an item, the one
    before it, also in a flow list of several lines. No line of `valueFrom` is a value, but one of `value` is."""
    indent, is_reference, is_inside = _indent(line), False, True
    is_next = True
    for earlier in map(lines.line, range(number - 1, max(number - _MOST_LINES, 0), -1)):
        if not earlier or _BLANK.match(earlier):
            continue
        if is_next and "," in earlier + line[: indent + 1] and _OPTION.search(earlier):
            yield earlier
        is_next = False
        if _indent(earlier) <= indent:
            if is_inside:
                is_reference = not _VALUE.search(line) and (is_reference or _FROM.search(line) is not None)
            is_item, is_inside = line[indent:].startswith("-"), _indent(earlier) < indent
            line, indent = earlier, _indent(earlier)
            if not is_reference and (not is_item or _OPTION.search(line)):
                yield line
            if is_item or line[indent:].startswith("-"):
                return


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _names_secret(line: str) -> bool:
    """Whether a line has the name of a secret variable, or is the option of a secret in a command."""
    option = _OPTION.search(line)
    names = [*(found["name"] for found in _NAME.finditer(line)), *([option["name"]] if option else [])]
    return any(map(is_secret_name, names)) or _is_in_env(line)


def _is_in_env(line: str) -> bool:
    return "/env/" in line and _PATH.search(line) is not None
