"""Pointers to lines and columns: the document is composed once more, with marks, when somebody wants to see it.

What became of an object or of a text after it was read is not known here; `positions` undoes that.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Place, Pointer, SourceFile, Span
from kubectl_trainjob.repository.yaml.compose import (
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
from kubectl_trainjob.repository.yaml.stream import Lines, Piece, TooManyError, pieces, whole_surrogates_hidden

START = Span(1, 1, 1, 1)
_ALL = 1 << 62  # documents


class Spans:
    """The spans of places in files as they were read; keeps each document that it composed."""

    def __init__(self) -> None:
        self._lines: dict[SourceFile, Lines] = {}
        self._pieces: dict[SourceFile, list[Piece]] = {}
        self._roots: dict[tuple[SourceFile, int], Node | None] = {}
        self._entries = _Entries()

    def span(self, place: Place) -> Span:
        """The text at a place's pointer; the start of the file where nothing can be composed.

        A mapping or list that begins below its key is shown by the key, a missing entry by its nearest parent.
        """
        source = place.source
        root = self._root(source.file, source.document)
        if root is None:
            return START
        start = self._pieces[source.file][source.document].start
        node = self._entries.shown(root, source.prefix + place.pointer, place.on == "key")
        return self.lines(source.file).span(start + node.start_mark.index, start + node.end_mark.index)

    def has(self, place: Place) -> bool:
        """Whether the text has something at the place."""
        root = self._root(place.source.file, place.source.document)
        return root is not None and self._entries.has(root, place.source.prefix + place.pointer)

    def lines(self, file: SourceFile) -> Lines:
        """The lines of a file."""
        if file not in self._lines:
            self._lines[file] = Lines(file.text)
        return self._lines[file]

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
