"""Builds one document with all the checks that the fast parser does not make, and with positions of errors.

Aliases share what they repeat. Merge keys are applied as go.yaml.in/yaml/v2 applies them (`merge` in decode.go), in the
written order. An exception is a result that differs from that of all other readers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.repository.yaml.compose import (
    COLLECTION,
    PLAIN,
    QUOTED,
    Backend,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    events,
)
from kubectl_trainjob.repository.yaml.mistakes import OF_OBJECTS, collection_key, has_objects
from kubectl_trainjob.repository.yaml.scalars import NotFiniteError, plain
from kubectl_trainjob.repository.yaml.stream import Lines, Piece

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_SLASH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\/)")
_STANDARD_TAGS = "tag:yaml.org,2002:"
_COUNTED_AS_ONE = 512


MOST_ERRORS = 1000
"""The errors of a document that are reported: each may be one character."""


class AbandonedError(Exception):
    """The document cannot be built; the reason is among the diagnostics."""


@dataclass(slots=True)
class _Collection:
    """A finished collection: its data, and how many nodes and levels it has."""

    value: Any
    nodes: int
    height: int


class StrictParser:
    """Builds the nodes of one piece; `repeated` counts the nodes that aliases repeat, from the caller's value on."""

    def __init__(self, file: SourceFile, piece: Piece, lines: Lines, limits: Limits, backend: Backend) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.repeated = 0
        self._source = Source(file, piece.number)
        self._piece, self._lines, self._limits, self._backend = piece, lines, limits, backend
        self._built: dict[int, _Collection] = {}
        self._open: set[int] = set()

    def build(self, root: Node) -> Any:
        """Plain data; raises AbandonedError without any."""
        return self._node(root, 1).value

    def place_at(self, start: int, end: int) -> Place:
        """A place for two offsets in the piece."""
        return Place(self._source, span=self._lines.span(self._piece.start + start, self._piece.start + end))

    def report(self, rule: Rule, message: Message, node: Node, *related: RelatedPlace) -> None:
        """Add a diagnostic about a node, if there are not too many yet."""
        if len(self.diagnostics) < MOST_ERRORS:
            self.diagnostics.append(Diagnostic(rule, message, self._place(node), related))

    def too_deep(self, place: Place) -> AbandonedError:
        """Report a place below the last allowed level."""
        message = say("nested deeper than {} levels, the limit; flatten the objects above", self._limits.depth)
        self.diagnostics.append(Diagnostic(rules.TOO_DEEP, message, place))
        return AbandonedError()

    def _place(self, node: Node) -> Place:
        return self.place_at(node.start_mark.index, node.end_mark.index)

    def start_of(self, node: Node) -> Place:
        """The place of the first character of a node."""
        return self.place_at(node.start_mark.index, node.start_mark.index + 1)

    def _node(self, node: Node, depth: int) -> _Collection:
        identity = id(node)
        known = self._built.get(identity)
        if known is not None:
            return self._repeat(node, known, depth)
        if isinstance(node, ScalarNode):
            built = _Collection(self._scalar(node), 1 + len(node.value) // _COUNTED_AS_ONE, 0)
        else:
            built = self._collection(node, depth)
        self._built[identity] = built
        return built

    def _repeat(self, node: Node, known: _Collection, depth: int) -> _Collection:
        self.repeated += known.nodes
        if self.repeated > self._limits.alias_nodes:
            message = say(
                "aliases and merge keys repeat more than {} values, the limit (limits.aliasNodes); write them out",
                self._limits.alias_nodes,
            )
            self.diagnostics.append(Diagnostic(rules.ALIAS_EXPANSION, message, self.start_of(node)))
            raise AbandonedError
        if depth + known.height - 1 > self._limits.depth:
            raise self.too_deep(self.start_of(node))
        return known

    def _collection(self, node: Node, depth: int) -> _Collection:
        if id(node) in self._open:
            raise self._endless()
        if depth > self._limits.depth:
            raise self.too_deep(self.start_of(node))
        self._open.add(id(node))
        self._reject_tag(node)
        if isinstance(node, MappingNode):
            built = self._mapping(node, depth)
        else:
            items = [self._node(item, depth + 1) for item in node.value]
            built = _around([item.value for item in items], items)
        self._open.discard(id(node))
        return built

    def _mapping(self, node: Node, depth: int) -> _Collection:
        entries: dict[str, Any] = {}
        keys: dict[str, Node] = {}
        parts: list[_Collection] = []
        starts = OF_OBJECTS if depth == 1 and has_objects(node) else ()
        for key, item in node.value:
            name = self._key(key)
            if name in keys and name in starts:
                self.report(rules.DUPLICATE_KEY, say("another object begins here; write a line --- above it"), key)
                break
            if name in keys:
                first = RelatedPlace(say("first written here"), self._place(keys[name]))
                message = say('duplicate key "{}"; remove one', name)
                self.report(rules.DUPLICATE_KEY, message, key, first)
                continue
            built = self._node(item, depth + 1) if name != "<<" or key.tag is not PLAIN else None
            if built is None:
                merged = self._merge(item, depth, parts)
                self._reject_override(key, merged, entries, keys)
                entries.update(merged)
            else:
                parts.append(built)
                entries[name] = built.value
            keys[name] = key
        return _around(entries, parts, len(entries))

    def _merge(self, node: Node, depth: int, parts: list[_Collection]) -> dict[str, Any]:
        """The entries of `<<`: of one mapping, or of several, of which the first overrides the others."""
        several = isinstance(node, SequenceNode)
        if several:
            self._reject_tag(node)
        merged: dict[str, Any] = {}
        for part in reversed(node.value) if several else (node,):
            if not isinstance(part, MappingNode):
                message = say("<< takes a mapping or a list of mappings; write the alias of one")
                self.report(rules.AMBIGUOUS_MERGE, message, part)
                continue
            built = self._node(part, depth)
            parts.append(built)
            merged.update(built.value)
        return merged

    def _reject_override(
        self, merge: Node, merged: dict[str, Any], entries: dict[str, Any], keys: dict[str, Node]
    ) -> None:
        for name, value in merged.items():
            if name in keys and entries[name] != value:
                written = RelatedPlace(say("written here"), self._place(keys[name]))
                message = say(
                    'this merge also has "{}", and YAML readers disagree on which is used; write << first', name
                )
                self.report(rules.AMBIGUOUS_MERGE, message, merge, written)

    def _key(self, node: Node) -> str:
        if not isinstance(node, ScalarNode):
            raise self._reject_collection_key(node)
        text: str = node.value
        if node.tag is not PLAIN:
            self._reject_tag(node)
            return self._text(node)
        meaning = _meaning(text)
        if meaning == "missing":
            self.report(rules.NON_STRING_KEY, say("a key is missing; write one before the colon"), node)
        elif meaning:
            message = say('the key {} is read as {}, not as a string; write "{}" in quotes', text, say(meaning), text)
            self.report(rules.NON_STRING_KEY, message, node)
        return text

    def _reject_collection_key(self, node: Node) -> AbandonedError:
        self.report(rules.NON_STRING_KEY, collection_key(self._piece.text, node.start_mark.index), node)
        return AbandonedError()

    def _scalar(self, node: ScalarNode) -> Any:
        if node.tag is not PLAIN:
            self._reject_tag(node)
            return self._text(node)
        try:
            value = plain(node.value)
        except NotFiniteError:
            return self._not_finite(node)
        # JSON has no unquoted text: this is a number that overflows.
        return self._not_finite(node) if self._piece.is_json and isinstance(value, str) else value

    def _not_finite(self, node: Node) -> str:
        text: str = node.value
        message = say("{} is not a number in JSON; write a finite one, or put it in quotes", text)
        self.report(rules.NOT_FINITE, message, node)
        return text

    def _text(self, node: ScalarNode) -> str:
        text: str = node.value
        if "\0" in text:
            self.report(rules.CONTROL_CHARACTER, control_character("\0"), node)
        if "/" in text and node.style == '"' and not self._piece.is_json:
            self._reject_slash_escape(node)
        half = _HALF_CHARACTER.search(text)
        if half is not None:
            self.report(rules.LONE_SURROGATE, lone_surrogate(f"\\u{ord(half[0]):04x}"), node)
            return _HALF_CHARACTER.sub("\ufffd", text)
        return text

    def _reject_slash_escape(self, node: ScalarNode) -> None:
        """YAML 1.2 and libyaml have this escape, go-yaml does not."""
        found = _SLASH_ESCAPE.search(self._piece.text, node.start_mark.index, node.end_mark.index)
        if found is not None:
            message = say('kubectl does not know the escape "\\/" in YAML; write the slash without a backslash')
            self.diagnostics.append(Diagnostic(rules.YAML_SYNTAX, message, self.place_at(*found.span(1))))

    def _reject_tag(self, node: Node) -> None:
        tag: str = node.tag
        if tag is PLAIN or tag is QUOTED or tag is COLLECTION:  # by identity: a user may name a tag "plain"
            return
        shown = "!!" + tag.removeprefix(_STANDARD_TAGS) if tag.startswith(_STANDARD_TAGS) else tag
        advice = say('write "{}" in quotes', node.value) if shown == "!!str" else say("remove the tag")
        self.report(rules.EXPLICIT_TAG, say('the tag "{}" is not allowed; {}', shown, advice), node)

    def _endless(self) -> AbandonedError:
        start, end = _alias_in_itself(self._piece.text, self._backend)
        name = self._piece.text[start:end]
        message = say('the alias "{}" is inside the value that it repeats; write the value out', name)
        self.diagnostics.append(Diagnostic(rules.RECURSIVE_ALIAS, message, self.place_at(start, end)))
        return AbandonedError()


def _around(value: Any, parts: list[_Collection], least: int = 0) -> _Collection:
    nodes = 1 + max(least, sum(part.nodes for part in parts))
    return _Collection(value, nodes, 1 + max((part.height for part in parts), default=0))


def _alias_in_itself(text: str, backend: Backend) -> tuple[int, int]:
    """The offsets of the first alias inside its own anchor's value."""
    anchors: list[str | None] = []
    for event in events(text, backend):
        kind = type(event).__name__
        if kind == "AliasEvent" and event.anchor in anchors:
            return event.start_mark.index, event.end_mark.index
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            anchors.append(event.anchor)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            anchors.pop()
    return 0, 1


def _meaning(key: str) -> str:
    """The type of an unquoted key that is not text, "" for text."""
    if not key:
        return "missing"
    try:
        value = plain(key)
    except NotFiniteError:
        return "a number"
    if isinstance(value, str):
        return ""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else "a number"


def control_character(char: str) -> Message:
    """The message for a character that a manifest must not have."""
    name = say("a NUL character") if char == "\0" else say("the control character {}", f"U+{ord(char):04X}")
    return say("{} is not allowed here; remove it", name)


def lone_surrogate(escape: str) -> Message:
    """The message for an escape of half a character."""
    return say('the escape "{}" is not a whole character; write the character itself', escape)
