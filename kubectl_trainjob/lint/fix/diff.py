"""Changes of files as a unified diff, as `diff -u` and git write it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from itertools import islice

from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.secrets import MASK
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.excerpt import Excerpts
from kubectl_trainjob.repository.output.changed_files import FileChange

_NO_END = "\n\\ No newline at end of file"
_HUNK = re.compile(r"@@ -(?P<old>\d+)(?:,\d+)? \+(?P<new>\d+)(?:,\d+)? @@")
_OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")  # a diff counts only line feeds


def diff_lines(changes: Iterable[FileChange]) -> Iterator[str]:
    """The lines, without line ends. Characters for a terminal are escaped, and lines with secrets masked."""
    for change in changes:
        name = change.path.removeprefix("/")
        lines = unified_diff(_lines(change.old), _lines(change.new), f"a/{name}", f"b/{name}", lineterm="")
        for line in _without_secrets(lines, change):
            yield from map(_show_line, line.split("\n"))


def _without_secrets(lines: Iterator[str], change: FileChange) -> Iterator[str]:
    """The lines of one file. A line that no excerpt shows is masked; a line of both texts if either one is."""
    excerpts = Excerpts()
    texts = {"-": change.old, "+": change.new}
    sides = {side: SourceFile("", _OTHER_BREAKS.sub(" ", text)) for side, text in texts.items()}
    yield from islice(lines, 2)
    numbers = {"-": 0, "+": 0}
    for line in lines:
        if found := _HUNK.fullmatch(line):
            numbers = {"-": int(found["old"]), "+": int(found["new"])}
            yield line
            continue
        of = "-+" if line[0] == " " else line[0]
        is_shown = all(excerpts.line(sides[side], numbers[side]) is not None for side in of)
        yield line if is_shown else _masked(line)
        for side in of:
            numbers[side] += 1


def _masked(line: str) -> str:
    indent = len(line) - len(line[1:].lstrip(" "))
    return line[:indent] + MASK + (_NO_END if line.endswith(_NO_END) else "")


def _lines(text: str) -> list[str]:
    *whole, rest = text.split("\n")
    return [*whole, rest + _NO_END] if rest else whole


def _show_line(line: str) -> str:
    return "\t".join(map(printable, line.removesuffix("\r").split("\t")))
