"""Where things stand in the user's files, and who wrote a value of what is made from them.

An object knows its `Source` (file, document, item of a List); a `Place` adds the JSON pointer inside that object.
Lines and columns are carried only by what is wrong with a text itself (`Place.span`); for all else `positions` finds
them when somebody wants to see them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, Protocol

Pointer = tuple[str | int, ...]


class Absent(Enum):
    """No value, not even null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """One file as read: `path` as shown to people ("-": standard input), `text` decoded, line ends as in the file.

    `below_base` is the path relative to the base of a side that is compared, "" where `path` is what both sides say.
    """

    path: str
    text: str
    written: Written | None = None
    below_base: str = ""

    @property
    def common_path(self) -> str:
        """The path that both sides of a comparison call the file by; of a made file that of what it was made of."""
        return self.written.file.common_path if self.written else self.below_base or self.path


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

    `place` is set when the value was copied as it stands; `causes` are what a computed value rests on, or what had it
    copied; `over` is the write that this one replaced. With `removes` it took the value away; with a `place` besides,
    nothing stood there any more, and whoever took it away did so before.
    """

    step: str
    place: Place | None = None
    causes: tuple[Place, ...] = ()
    over: Origin | None = None
    value: Any = None
    removes: bool = False

    def below(self, rest: Pointer) -> Origin:
        """The origin of a value that stands `rest` below the written one."""
        if not rest:
            return self
        below: Origin | None = None
        for each in reversed(list(self._since(rest))):  # no recursion: a value may be written a thousand times
            place = each.place.child(*rest) if each.place else None
            below = replace(each, place=place, over=below, value=value_at(each.value, rest))
        assert below is not None
        return below

    def _since(self, rest: Pointer) -> Iterator[Origin]:
        """This write and those before it, as long as there was something `rest` below the value."""
        yield self
        older = self.over
        while older is not None and older.had(rest):
            yield older
            older = older.over

    def had(self, rest: Pointer) -> bool:
        """Whether something stood `rest` below the written value, or below the one that this write took away."""
        if self.removes and self.place:
            return True
        written = self.over if self.removes else self
        return written is not None and has(written.value, rest)

    def first_place(self) -> Place | None:
        """The line a person would edit to change the value."""
        origin: Origin | None = self
        while origin is not None and not (origin.place or origin.causes):
            origin = origin.over
        return (origin.place or origin.causes[0]) if origin else None


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


def json_pointer(pointer: Pointer) -> str:
    """A pointer as RFC 6901 writes it: `/spec/containers/0`, "" for the whole."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in pointer)


def show_pointer(pointer: Pointer) -> str:
    """A pointer as Kubernetes writes field paths: `spec.containers[0].env`, `limits[nvidia.com/gpu]`."""
    parts: list[str] = []
    for step in pointer:
        if isinstance(step, int) or "." in step or "/" in step:
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)
