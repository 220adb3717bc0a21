"""Places to lines and columns: the document is composed once more, with marks, when somebody wants to see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from kubectl_trainjob.limits import LIMITS
from kubectl_trainjob.source import Place, Pointer, Source, SourceFile, Span
from kubectl_trainjob.yamlio.compose import (
    BACKEND,
    PLAIN,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    TooDeepError,
    YAMLError,
    roots,
)
from kubectl_trainjob.yamlio.stream import LINE_END, Lines, Piece, TooManyError, pieces, whole_surrogates_hidden

START = Span(1, 1, 1, 1)
_ALL = 1 << 62  # documents


class Locator:
    """Finds spans for one report; keeps each document that it composed."""

    def __init__(self) -> None:
        self._lines: dict[SourceFile, Lines] = {}
        self._split: dict[SourceFile, list[str]] = {}
        self._pieces: dict[SourceFile, list[Piece]] = {}
        self._roots: dict[tuple[SourceFile, int], Node | None] = {}
        self._entries = _Entries()

    def locate(self, place: Place) -> Span:
        """The text of a place, in the file that `settle` finds."""
        span = self.settle(place).span
        assert span is not None
        return span

    def settle(self, place: Place) -> Place:
        """The place as a span of a file that a person wrote; the start of that file where nothing can be composed.

        A mapping or list that begins below its key is shown by the key, a missing entry by its nearest parent.
        """
        place = self._traced(place)
        span = place.span or self._span(place)
        return self._written(Place(place.source, place.pointer, place.on, span))

    def has(self, place: Place) -> bool:
        """Whether the text of an object that nobody edited has something at the place."""
        root = self._root(place.source.file, place.source.document)
        return root is not None and self._entries.has(root, place.source.prefix + place.pointer)

    def _traced(self, place: Place) -> Place:
        """The place before any edit."""
        while (edits := place.source.edits) is not None:
            plain = replace(place.source, edits=None)
            found = edits.origin(place.pointer).first_place()
            place = replace(found, on=place.on) if found else replace(place, source=plain)
        return place

    def _written(self, place: Place) -> Place:
        """The place in the text that a made file comes from: a whole line, where that line was rewritten."""
        span, written = place.span, place.source.file.written
        if span is None or written is None:
            return place
        line = _nth(written.lines, span.line)
        text = _nth(self._texts(written.file), line)
        same = text[written.indent :] == _nth(self._texts(place.source.file), span.line)
        if same:
            end = _nth(written.lines, span.end_line)
            moved = Span(line, span.column + written.indent, end, span.end_column + written.indent)
        else:
            moved = Span(line, len(text) - len(text.lstrip()) + 1, line, len(text) + 1)
        return self._written(Place(Source(written.file), place.pointer, place.on, moved))

    def _span(self, place: Place) -> Span:
        source = place.source
        root = self._root(source.file, source.document)
        if root is None:
            return START
        start = self._pieces[source.file][source.document].start
        node = self._entries.shown(root, source.prefix + place.pointer, place.on == "key")
        return self._file_lines(source.file).span(start + node.start_mark.index, start + node.end_mark.index)

    def _file_lines(self, file: SourceFile) -> Lines:
        if file not in self._lines:
            self._lines[file] = Lines(file.text)
        return self._lines[file]

    def _texts(self, file: SourceFile) -> list[str]:
        if file not in self._split:
            self._split[file] = LINE_END.split(file.text)
        return self._split[file]

    def _root(self, file: SourceFile, document: int) -> Node | None:
        if (file, document) not in self._roots:
            self._roots[file, document] = self._compose(file, document)
        return self._roots[file, document]

    def _compose(self, file: SourceFile, document: int) -> Node | None:
        try:
            if file not in self._pieces:
                self._pieces[file] = pieces(file.text, _ALL)
            piece = self._pieces[file][document]
            text = whole_surrogates_hidden(piece.text) if piece.is_json else piece.text
            return next(roots(text, LIMITS.depth, BACKEND), None)
        except (YAMLError, TooDeepError, TooManyError, ValueError, IndexError, OverflowError):
            return None


def _nth(items: Sequence[Any], number: int) -> Any:
    """Item `number`, counted from 1; the last one where there are fewer."""
    return items[min(number, len(items)) - 1]


def locate(place: Place) -> Span:
    """The span of one place, without a cache."""
    return Locator().locate(place)


class _Entries:
    """The entries of the mappings looked at, each listed once: a mapping of many unknown keys is asked for each."""

    def __init__(self) -> None:
        self._listed: dict[int, tuple[dict[str, tuple[Node, Node]], list[Node]]] = {}

    def shown(self, root: Node, pointer: Pointer, on_key: bool) -> Node:
        """The node to point at: the value itself, its key, or what stands for them."""
        key, value, found = self._follow(root, pointer)
        if key is None:
            return value
        if on_key or not found:
            return key
        below = isinstance(value, (MappingNode, SequenceNode)) and value.start_mark.line > key.end_mark.line
        empty = value.start_mark.index == value.end_mark.index
        return key if below or empty else value

    def has(self, root: Node, pointer: Pointer) -> bool:
        """Whether the whole pointer exists."""
        return self._follow(root, pointer)[2]

    def _follow(self, root: Node, pointer: Pointer) -> tuple[Node | None, Node, bool]:
        """Key, value and whether the whole pointer exists; the key is None for the root and for a list's items."""
        key, value = None, root
        for step in pointer:
            entry = self._entry(value, step)
            if entry is None:
                return key, value, False
            key, value = entry
        return key, value, True

    def _entry(self, node: Node, step: str | int) -> tuple[Node | None, Node] | None:
        if isinstance(node, SequenceNode):
            return (None, node.value[step]) if isinstance(step, int) and 0 <= step < len(node.value) else None
        return self._keyed(node, step, set()) if isinstance(step, str) else None

    def _keyed(self, node: Node, step: str, seen: set[int]) -> tuple[Node, Node] | None:
        """A mapping's entry, or that of a mapping it merges; each is looked at once."""
        if not isinstance(node, MappingNode) or id(node) in seen:
            return None
        seen.add(id(node))
        if id(node) not in self._listed:
            self._listed[id(node)] = _own(node), list(_merged(node))
        own, merged = self._listed[id(node)]
        if step in own:
            return own[step]
        return next((entry for part in merged if (entry := self._keyed(part, step, seen)) is not None), None)


def _own(node: MappingNode) -> dict[str, tuple[Node, Node]]:
    """The entries written in a mapping; of a key written twice the first."""
    return {key.value: (key, value) for key, value in reversed(node.value) if isinstance(key, ScalarNode)}


def _merged(node: Node) -> Iterator[Node]:
    """The mappings that `<<` brings into a mapping, the strongest first."""
    for key, value in node.value:
        if key.tag is PLAIN and key.value == "<<":
            yield from value.value if isinstance(value, SequenceNode) else (value,)
