"""Where things stand in the user's files.

An object knows its `Source` (file, document, item of a List); a `Place` adds the JSON pointer inside that object.
Lines and columns are not carried along: `yamlio.spans` finds them when a diagnostic is printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """One file as read: `path` as shown to people ("-": standard input), `text` decoded, line ends as in the file."""

    path: str
    text: str
    written: Written | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Where a person wrote the text of a file that was made: a rendered template, a patch inside an overlay.

    `lines[i]` is the line of `file` that line i + 1 comes from; `indent` characters stand before each line there.
    """

    file: SourceFile
    lines: tuple[int, ...]
    indent: int = 0


class Edits(Protocol):
    """What became of an object after it was read."""

    def trace(self, pointer: Pointer) -> Place | None:
        """Where the value at `pointer` was written; None where nothing changed it."""


@dataclass(frozen=True, slots=True)
class Source:
    """One object in a file: `document` counts the stream's documents from 0, `prefix` leads into a List's item.

    With `edits`, pointers lead into the object as edited, not as it stands in the file.
    """

    file: SourceFile
    document: int = 0
    prefix: Pointer = ()
    edits: Edits | None = None


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of text; lines and columns from 1, the end column is the first one behind the piece."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Place:
    """What a person should look at: a pointer inside an object, or a span where no object could be read.

    `on` says whether a mapping entry's key or its value is meant. A pointer that does not exist in the text
    (a default, a missing field) means its nearest existing parent.
    """

    source: Source
    pointer: Pointer = ()
    on: Literal["key", "value"] = "value"
    span: Span | None = None

    def child(self, *pointer: str | int) -> Place:
        """The place below this one."""
        return Place(self.source, self.pointer + pointer)

    def key(self) -> Place:
        """The same entry, pointing at its key."""
        return Place(self.source, self.pointer, "key")


def value_at(value: Any, pointer: Pointer) -> Any:
    """The value that stands `pointer` below another, None where there is none."""
    try:
        for key in pointer:
            value = value[key]
    except (KeyError, IndexError, TypeError):
        return None
    return value


def show_pointer(pointer: Pointer) -> str:
    """A pointer as Kubernetes writes field paths: `spec.containers[0].env`, `limits[nvidia.com/gpu]`."""
    parts: list[str] = []
    for step in pointer:
        if isinstance(step, int) or "." in step or "/" in step:
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)
