"""Where things stand in the user's files, and who wrote a value of what is made from them.

An object knows its `Source` (file, document, item of a List); a `Place` adds the JSON pointer inside that object.
Lines and columns are not carried along: `yamlio.spans` finds them when a diagnostic is printed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    `values` is the overlay whose values a template was rendered with.
    """

    file: SourceFile
    lines: tuple[int, ...]
    indent: int = 0
    values: Source | None = None


class Edits(Protocol):
    """What became of an object after it was read."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the object was called before."""

    def origin(self, pointer: Pointer) -> Origin:
        """Who wrote the value at `pointer` of the object as edited."""


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


@dataclass(frozen=True, slots=True)
class Origin:
    """One write of a value, `value`, by `step`.

    `place` is set when the value was copied as it stands; `causes` are what a computed value rests on; `over` is the
    write that this one replaced.
    """

    step: str
    place: Place | None = None
    causes: tuple[Place, ...] = ()
    over: Origin | None = None
    value: Any = None

    def below(self, rest: Pointer) -> Origin:
        """The origin of a value that stands `rest` below the written one."""
        if not rest:
            return self
        replaced = self.over if self.over and has(self.over.value, rest) else None
        return replace(
            self,
            place=self.place.child(*rest) if self.place else None,
            over=replaced.below(rest) if replaced else None,
            value=value_at(self.value, rest),
        )

    def first_place(self) -> Place | None:
        """The line a person would edit to change the value."""
        if self.place is not None:
            return self.place
        if self.causes:
            return self.causes[0]
        return self.over.first_place() if self.over else None


def value_at(value: Any, pointer: Pointer) -> Any:
    """The value that stands `pointer` below another, None where there is none."""
    try:
        for key in pointer:
            value = value[key]
    except (KeyError, IndexError, TypeError):
        return None
    return value


def has(value: Any, pointer: Pointer) -> bool:
    """Whether something, be it null, stands `pointer` below a value."""
    parent, key = value_at(value, pointer[:-1]), pointer[-1]
    if isinstance(parent, list):
        return isinstance(key, int) and 0 <= key < len(parent)
    return isinstance(parent, dict) and key in parent


def show_pointer(pointer: Pointer) -> str:
    """A pointer as Kubernetes writes field paths: `spec.containers[0].env`, `limits[nvidia.com/gpu]`."""
    parts: list[str] = []
    for step in pointer:
        if isinstance(step, int) or "." in step or "/" in step:
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)
