"""Changes of files as a unified diff, as `diff -u` and git write it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import unified_diff

from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.repository.output.changed_files import FileChange

_NO_END = "\n\\ No newline at end of file"


def diff_lines(changes: Iterable[FileChange]) -> Iterator[str]:
    """The lines, without line ends; characters that a terminal would interpret are escaped."""
    for change in changes:
        name = change.path.removeprefix("/")
        for line in unified_diff(_lines(change.old), _lines(change.new), f"a/{name}", f"b/{name}", lineterm=""):
            yield from map(_show_line, line.split("\n"))


def _lines(text: str) -> list[str]:
    *whole, rest = text.split("\n")
    return [*whole, rest + _NO_END] if rest else whole


def _show_line(line: str) -> str:
    return "\t".join(map(printable, line.removesuffix("\r").split("\t")))
