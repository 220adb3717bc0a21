"""Places in the user's files, and the origins of generated values.

An object knows its `Source` (file, document, item of a List); a `Place` adds the JSON pointer inside that object.
Only errors of a text itself have lines and columns (`Place.span`). For all others, `positions` finds them for output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, NamedTuple, Protocol

Pointer = tuple[str | int, ...]


class Absent(Enum):
    """No value, not even null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """One file as read: `path` as shown to users ("-": standard input), `text` decoded, line ends as in the file.

    `below_base` is the path from the root of a compared tree, "" if both trees have the same `path`.
    """

    path: str
    text: str
    written: TextOrigin | None = None
    below_base: str = ""

    @property
    def common_path(self) -> str:
        """The path of the file in both trees of a comparison; for a generated file, the path of its source."""
        return self.written.file.common_path if self.written else self.below_base or self.path


@dataclass(frozen=True, slots=True, eq=False)
class TextOrigin:
    """The source of a generated file: of a rendered template, or of a patch inside an overlay.

    `lines[i]` is the line of `file` that line i + 1 comes from; `indent` characters are before each line there.
    `values` is the overlay with the values of a template.
    """

    file: SourceFile
    lines: tuple[int, ...]
    indent: int = 0
    values: Source | None = None


class Edits(Protocol):
    """The changes of an object after it was read."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the object before."""

    def origin(self, pointer: Pointer) -> Origin:
        """The origin of the value at `pointer` of the edited object."""


@dataclass(frozen=True, slots=True)
class Source:
    """One object in a file: `document` counts the stream's documents from 0, `prefix` leads into a List's item.

    With `edits`, pointers are into the edited object, not into the object in the file.
    """

    file: SourceFile
    document: int = 0
    prefix: Pointer = ()
    edits: Edits | None = None


class Span(NamedTuple):
    """A piece of text; lines and columns from 1, the end column is the first one after the piece."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Place:
    """The place that a report shows: a pointer inside an object, or a span if no object could be read.

    `on` selects the key or the value of a mapping entry. A pointer that does not exist in the text (a default, a
    missing field) means its nearest existing parent.
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

    `place` is set if the value was copied unchanged. `causes` are the inputs of a computed value, or the reason of a
    copy. `over` is the write that this one replaced. With `removes`, it removed the value. If it also has a `place`,
    an earlier edit of that input had already removed the value.
    """

    step: str
    place: Place | None = None
    causes: tuple[Place, ...] = ()
    over: Origin | None = None
    value: Any = None
    removes: bool = False

    def below(self, rest: Pointer) -> Origin:
        """The origin of the value at `rest` below the written one."""
        if not rest:
            return self
        below: Origin | None = None
        for each in reversed(list(self._since(rest))):  # no recursion: a value may be written a thousand times
            place = each.place.child(*rest) if each.place else None
            below = replace(each, place=place, over=below, value=value_at(each.value, rest))
        assert below is not None
        return below

    def _since(self, rest: Pointer) -> Iterator[Origin]:
        """This write and those before it, as long as the value had something at `rest`."""
        yield self
        older = self.over
        while older is not None and older.had(rest):
            yield older
            older = older.over

    def had(self, rest: Pointer) -> bool:
        """Whether `rest` existed below the written value, or below the one that this write removed."""
        if self.removes and self.place:
            return True
        written = self.over if self.removes else self
        return written is not None and has(written.value, rest)

    def placed(self) -> Origin | None:
        """The newest write with a place."""
        origin: Origin | None = self
        while origin is not None and not (origin.place or origin.causes):
            origin = origin.over
        return origin

    def first_place(self) -> Place | None:
        """The line to edit to change the value."""
        origin = self.placed()
        return (origin.place or origin.causes[0]) if origin else None


def entries(value: Any) -> Iterable[tuple[Any, Any]]:
    """The entries of a mapping, or the items of a list with their positions; none of another value."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def values(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """A value and all values below, with their places: each before those below it."""
    yield pointer, value
    for key, entry in entries(value):
        yield from values(entry, (*pointer, key))


def leaves(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """The values without other values below, with their places: scalars, and empty mappings and lists."""
    return ((at, each) for at, each in values(value, pointer) if not isinstance(each, (dict, list)) or not each)


def same(one: Any, other: Any) -> bool:
    """Whether plain data is the same; 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def value_at(value: Any, pointer: Pointer) -> Any:
    """The value at `pointer` below another, None if there is none."""
    try:
        for key in pointer:
            value = value[key]
    except (KeyError, IndexError, TypeError):
        return None
    return value


def mapping_at(value: Any, *pointer: str | int) -> dict[str, Any]:
    """The mapping at `pointer` below another value, {} if there is none, or a value of another type."""
    found = value_at(value, pointer)
    return found if isinstance(found, dict) else {}


def list_at(value: Any, *pointer: str | int) -> list[Any]:
    """The list at `pointer` below another value, [] if there is none, or a value of another type."""
    found = value_at(value, pointer)
    return found if isinstance(found, list) else []


def has(value: Any, pointer: Pointer) -> bool:
    """Whether a value has an entry at `pointer`, possibly null."""
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
