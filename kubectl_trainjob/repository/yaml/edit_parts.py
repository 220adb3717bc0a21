"""The places of values and aliases in the text of a document.

Nodes do not have these: the node of an alias is that of its anchor. Therefore this uses the parser's events.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.repository.yaml.compose import BACKEND, Backend, events

_PROPERTIES = re.compile(r"[&!]\S*(?:[ \t]+[&!]\S*)*")
_BETWEEN = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEEPS = re.compile(r"[|>][0-9]?\+")


class PartEntry(NamedTuple):
    """A mapping's entry or a list's item. It begins with its key, its dash or, in flow style, its value.

    `head` is the offset after the colon or dash, and after the anchor of the value; -1 without a colon.
    """

    start: int
    head: int
    value: TextPart
    key: str = ""
    key_end: int = 0


@dataclass(slots=True, eq=False)
class TextPart:
    """One value. `start` is the offset of its anchor or tag, and `bare` the one after these. `content` is the offset of
    the value (in block style of its first entry), and `end` the one after it. `tail` is also after the line ends of a
    block scalar.
    """

    kind: Literal["scalar", "mapping", "list", "alias"]
    start: int
    bare: int
    content: int
    end: int
    tail: int
    text: str = ""
    is_flow: bool = False
    entries: list[PartEntry] = field(default_factory=list)
    _keys: dict[str, PartEntry] | None = None

    @property
    def is_block(self) -> bool:
        """Whether it is a mapping or list in block style."""
        return bool(self.entries) and not self.is_flow

    def entry(self, step: str | int) -> PartEntry | None:
        """The entry of a key (of two the first) or index; None where it is not written here."""
        if self.kind == "list":
            return self.entries[step] if isinstance(step, int) and 0 <= step < len(self.entries) else None
        if self.kind != "mapping" or not isinstance(step, str):
            return None
        if self._keys is None:
            self._keys = {each.key: each for each in reversed(self.entries)}
        return self._keys.get(step)


def way(root: TextPart, pointer: Pointer) -> list[tuple[TextPart, PartEntry]] | None:
    """The collections that a pointer leads through, and the entry in each; None where one of them is not written."""
    found: list[tuple[TextPart, PartEntry]] = []
    part = root
    for step in pointer:
        entry = part.entry(step)
        if entry is None:
            return None
        found.append((part, entry))
        part = entry.value
    return found


def compose(text: str, backend: Backend = BACKEND) -> TextPart | None:
    """The first document of a text, None where there is none. Raises YAMLError."""
    top: list[TextPart] = []
    opened: list[tuple[Any, list[TextPart]]] = [(None, top)]
    for event in events(text, backend):
        kind = type(event).__name__
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            opened.append((event, []))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            start, parts = opened.pop()
            opened[-1][1].append(_collection(text, start, event.end_mark.index, parts))
        elif kind in ("ScalarEvent", "AliasEvent"):
            opened[-1][1].append(_leaf(text, event))
        elif kind == "DocumentEndEvent":
            break
    return top[0] if top else None


def between(text: str, at: int) -> int:
    """The offset after blanks, line ends and comments."""
    found = _BETWEEN.match(text, at)
    assert found is not None
    return found.end()


def _leaf(text: str, event: Any) -> TextPart:
    start, end = event.start_mark.index, event.end_mark.index
    if type(event).__name__ == "AliasEvent":
        return TextPart("alias", start, start, start, end, end)
    bare = _bare(text, event)
    last = start + len(text[start:end].rstrip())
    content = bare + len(text[bare:last]) - len(text[bare:last].lstrip(" \t"))
    keeps = event.style in ("|", ">") and _KEEPS.match(text, content) is not None
    return TextPart("scalar", start, bare, content, last, end if keeps else last, event.value)


def _bare(text: str, event: Any) -> int:
    """The offset after the anchor and tag of a value."""
    start: int = event.start_mark.index
    if event.anchor is None and event.tag is None:
        return start
    found = _PROPERTIES.match(text, start)
    return found.end() if found else start


def _collection(text: str, event: Any, end: int, parts: list[TextPart]) -> TextPart:
    is_flow, start, bare = event.flow_style is True, event.start_mark.index, _bare(text, event)
    if type(event).__name__ == "SequenceStartEvent":
        part = TextPart("list", start, bare, bare, bare, bare, is_flow=is_flow)
        part.entries = _items(text, bare, parts, is_flow)
    else:
        part = TextPart("mapping", start, bare, bare, bare, bare, is_flow=is_flow)
        part.entries = [_pair(text, *pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    if is_flow:
        part.content, part.end, part.tail = between(text, bare), end, end
    elif part.entries:
        last = part.entries[-1].value
        part.content, part.end, part.tail = part.entries[0].start, last.end, last.tail
    return part


def _items(text: str, at: int, parts: list[TextPart], is_flow: bool) -> list[PartEntry]:
    found: list[PartEntry] = []
    for value in parts:
        dash = value.start if is_flow else between(text, at)
        found.append(PartEntry(dash, dash if is_flow else _head(value, dash + 1), value))
        at = value.end
    return found


def _pair(text: str, key: TextPart, value: TextPart) -> PartEntry:
    colon = between(text, key.end)
    head = _head(value, colon + 1) if text.startswith(":", colon) and value.end > colon else -1
    return PartEntry(key.start, head, value, key.text, key.end)


def _head(value: TextPart, after: int) -> int:
    return value.bare if value.bare > value.start else after
