"""Places in texts: pointers to lines and columns, the places inside values, and the values of the lines of an object.

A document is composed again, with marks, when something is printed. Changes of an object or text after it was read are
not known here; `positions` undoes them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Place, Pointer, SourceFile, Span
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.repository.yaml.compose import (
    BACKEND,
    PLAIN,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    TooDeepError,
    YAMLError,
    events,
    may_nest_deeply,
    roots,
)
from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter
from kubectl_trainjob.repository.yaml.stream import Lines, Piece, pieces, whole_surrogates_hidden

START = Span(1, 1, 1, 1)


class Spans:
    """The spans of places in files as they were read; keeps each document that it composed."""

    def __init__(self) -> None:
        self._lines: dict[str, Lines] = {}  # by text: base and head have most texts in common
        self._pieces: dict[str, list[Piece]] = {}
        self._roots: dict[tuple[str, int], Node | None] = {}
        self._entries: dict[int, tuple[dict[str, tuple[Node, Node]], list[Node]]] = {}  # own and merged ones

    def span(self, place: Place) -> Span:
        """The text at a place's pointer; the start of the file where nothing can be composed.

        A mapping or list that begins below its key has the span of the key. A missing entry has that of its nearest
        parent.
        """
        file = place.source.file
        root = self._root(file.text, place.source.document)
        if root is None:
            return START
        start = self._pieces[file.text][place.source.document].start
        key, value, found = self._follow(root, place.source.prefix + place.pointer)
        node = value if key is None or (found and place.on != "key" and not _is_below(value, key)) else key
        return self.lines(file).span(start + node.start_mark.index, start + node.end_mark.index)

    def has(self, place: Place) -> bool:
        """Whether the text has something at the place."""
        root = self._root(place.source.file.text, place.source.document)
        return root is not None and self._follow(root, place.source.prefix + place.pointer)[2]

    def lines(self, file: SourceFile) -> Lines:
        """The lines of a file."""
        if file.text not in self._lines:
            self._lines[file.text] = Lines(file.text)
        return self._lines[file.text]

    def _root(self, text: str, document: int) -> Node | None:
        if (text, document) not in self._roots:
            self._roots[text, document] = self._compose(text, document)
        return self._roots[text, document]

    def _compose(self, text: str, document: int) -> Node | None:
        try:
            if text not in self._pieces:
                self._pieces[text] = pieces(text)
            piece = self._pieces[text][document]
            shown = whole_surrogates_hidden(piece.text) if piece.is_json else piece.text
            return next(roots(shown, LIMITS.depth, BACKEND), None)
        except (YAMLError, TooDeepError, ValueError, IndexError, OverflowError):
            return None

    def _follow(self, root: Node, pointer: Pointer) -> tuple[Node | None, Node, bool]:
        """Key, value and whether the whole pointer exists; the key is None for the root and for items of lists."""
        key, value = None, root
        for step in pointer:
            if isinstance(value, SequenceNode) and isinstance(step, int) and 0 <= step < len(value.value):
                entry: tuple[Node | None, Node] | None = (None, value.value[step])
            else:
                entry = self._entry_of(value, step, set()) if isinstance(step, str) else None
            if entry is None:
                return key, value, False
            key, value = entry
        return key, value, True

    def _entry_of(self, node: Node, step: str, seen: set[int]) -> tuple[Node, Node] | None:
        """An entry of a mapping, or of a mapping that it merges; `seen` prevents loops."""
        if not isinstance(node, MappingNode) or id(node) in seen:
            return None
        seen.add(id(node))
        if id(node) not in self._entries:  # listed once, because a mapping may have many unknown keys
            scalars = [(key, value) for key, value in reversed(node.value) if isinstance(key, ScalarNode)]
            self._entries[id(node)] = {key.value: (key, value) for key, value in scalars}, list(_merge_sources(node))
        own, merged = self._entries[id(node)]
        if step in own:
            return own[step]
        return next((entry for part in merged if (entry := self._entry_of(part, step, seen)) is not None), None)


def _is_below(value: Node, key: Node) -> bool:
    """Whether a value is empty, or a collection that begins below its key."""
    if value.start_mark.index == value.end_mark.index:
        return True
    return isinstance(value, (MappingNode, SequenceNode)) and value.start_mark.line > key.end_mark.line


def _merge_sources(node: Node) -> Iterator[Node]:
    """The mappings that `<<` merges into a mapping, the strongest first."""
    for key, value in node.value:
        if key.tag is PLAIN and key.value == "<<":
            yield from value.value if isinstance(value, SequenceNode) else (value,)


_BLOCKS = ("|", ">")


def outside_values(text: str, offsets: Iterable[int]) -> list[int]:
    """Those offsets that no scalar covers; all of them where the text cannot be parsed, as a template."""
    wanted = list(offsets)
    if not wanted or may_nest_deeply(text):
        return wanted
    try:
        scalars = list(_scalars(text))
    except (YAMLError, ValueError):
        return wanted
    starts = [start for start, _ in scalars]
    return [offset for offset in wanted if not _covers(scalars, bisect_left(starts, offset), offset)]


def _covers(scalars: list[tuple[int, int]], count: int, offset: int) -> bool:
    """Whether the last of `count` scalars that begin before the offset ends after it."""
    return count > 0 and offset < scalars[count - 1][1]


def _scalars(text: str) -> Iterator[tuple[int, int]]:
    """The offsets of scalars; a block is without its first line, which may have a comment."""
    for piece in pieces(text):
        if piece.is_json:  # which has no comments
            yield piece.start - 1, piece.start + len(piece.text)
            continue
        for event in events(piece.text):
            if hasattr(event, "style") and hasattr(event, "value"):
                start, end = event.start_mark.index, event.end_mark.index
                if event.style in _BLOCKS:
                    start = piece.text.find("\n", start, end)
                if 0 <= start < end:
                    yield piece.start + start, piece.start + end


def beginnings(text: str) -> dict[int, Pointer]:
    """By line, counted from 0: the deepest value that begins there, with its key or dash.

    A line that is not among them goes on with what begins above it.
    """
    found: dict[int, Pointer] = {0: ()}
    # What was written was nested no deeper than Python's own recursion goes: composing needs no guard.
    for root in roots(text, None):
        _collect(root, (), found)
    return found


def _collect(node: Node, pointer: Pointer, found: dict[int, Pointer]) -> None:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            found[key.start_mark.line] = entry = (*pointer, key.value)
            _collect(value, entry, found)
    elif isinstance(node, SequenceNode):
        for index, value in enumerate(node.value):
            found[_dash(value)] = item = (*pointer, index)
            _collect(value, item, found)


def _dash(item: Node) -> int:
    """The line of an item's dash: a list in a list begins on the line below."""
    line: int = item.start_mark.line
    return line - 1 if isinstance(item, SequenceNode) and not item.flow_style else line


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end, and the deepest value that begins on it: `- name: x` is the name, `env:` the list.

    A line that `continues` belongs to the value of the line above (a text of several lines): there a comment would
    be part of the text.
    """

    text: str
    pointer: Pointer
    continues: bool = False


def numbered(body: Body) -> list[Line]:
    """The lines of the object's document. Raises TypeError or ValueError for what is not plain JSON data."""
    text = Emitter(sort_keys=True, lead=LEAD).document(body)
    found = beginnings(text)
    lines: list[Line] = []
    pointer: Pointer = ()
    for number, line in enumerate(text.removesuffix("\n").split("\n")):
        pointer = found.get(number, pointer)
        lines.append(Line(line, pointer, number not in found))
    return lines
