"""A document as it is written: where each value stands in the text, and where an alias stands for one.

Nodes do not show that: the node of an alias is that of its anchor. So this is made of the parser's events.
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


class Entry(NamedTuple):
    """A mapping's entry or a list's item. It begins with its key, its dash or, in flow style, its value.

    `head` is the offset behind the colon or dash, and behind the anchor of the value; -1 where there is no colon.
    """

    start: int
    head: int
    value: Part
    key: str = ""
    key_end: int = 0


@dataclass(slots=True, eq=False)
class Part:
    """One value. `start` is where its anchor or tag begins, `bare` is behind these, `content` where it begins itself
    (in block style with its first entry), `end` is behind it, `tail` also behind the line ends that a block scalar
    keeps.
    """

    kind: Literal["scalar", "mapping", "list", "alias"]
    start: int
    bare: int
    content: int
    end: int
    tail: int
    text: str = ""
    is_flow: bool = False
    entries: list[Entry] = field(default_factory=list)

    @property
    def is_block(self) -> bool:
        """Whether it is a mapping or list in block style."""
        return bool(self.entries) and not self.is_flow

    def entry(self, step: str | int) -> Entry | None:
        """The entry of a key (of two the first) or index; None where it is not written here."""
        if self.kind == "list":
            return self.entries[step] if isinstance(step, int) and 0 <= step < len(self.entries) else None
        return next((each for each in self.entries if each.key == step), None) if self.kind == "mapping" else None


def way(root: Part, pointer: Pointer) -> list[tuple[Part, Entry]] | None:
    """The collections that a pointer leads through, and the entry in each; None where one of them is not written."""
    found: list[tuple[Part, Entry]] = []
    part = root
    for step in pointer:
        entry = part.entry(step)
        if entry is None:
            return None
        found.append((part, entry))
        part = entry.value
    return found


def composed(text: str, backend: Backend = BACKEND) -> Part | None:
    """The first document of a text, None where there is none. Raises YAMLError."""
    top: list[Part] = []
    opened: list[tuple[Any, list[Part]]] = [(None, top)]
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
    """The offset behind blanks, line ends and comments."""
    found = _BETWEEN.match(text, at)
    assert found is not None
    return found.end()


def _leaf(text: str, event: Any) -> Part:
    start, end = event.start_mark.index, event.end_mark.index
    if type(event).__name__ == "AliasEvent":
        return Part("alias", start, start, start, end, end)
    bare = _bare(text, event)
    last = start + len(text[start:end].rstrip())
    content = bare + len(text[bare:last]) - len(text[bare:last].lstrip(" \t"))
    keeps = event.style in ("|", ">") and _KEEPS.match(text, content) is not None
    return Part("scalar", start, bare, content, last, end if keeps else last, event.value)


def _bare(text: str, event: Any) -> int:
    """The offset behind the anchor and tag of a value."""
    start: int = event.start_mark.index
    if event.anchor is None and event.tag is None:
        return start
    found = _PROPERTIES.match(text, start)
    return found.end() if found else start


def _collection(text: str, event: Any, end: int, parts: list[Part]) -> Part:
    is_flow, start, bare = event.flow_style is True, event.start_mark.index, _bare(text, event)
    if type(event).__name__ == "SequenceStartEvent":
        part = Part("list", start, bare, bare, bare, bare, is_flow=is_flow)
        part.entries = _items(text, bare, parts, is_flow)
    else:
        part = Part("mapping", start, bare, bare, bare, bare, is_flow=is_flow)
        part.entries = [_pair(text, *pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    if is_flow:
        part.content, part.end, part.tail = between(text, bare), end, end
    elif part.entries:
        last = part.entries[-1].value
        part.content, part.end, part.tail = part.entries[0].start, last.end, last.tail
    return part


def _items(text: str, at: int, parts: list[Part], is_flow: bool) -> list[Entry]:
    found: list[Entry] = []
    for value in parts:
        dash = value.start if is_flow else between(text, at)
        found.append(Entry(dash, dash if is_flow else _head(value, dash + 1), value))
        at = value.end
    return found


def _pair(text: str, key: Part, value: Part) -> Entry:
    colon = between(text, key.end)
    head = _head(value, colon + 1) if text.startswith(":", colon) and value.end > colon else -1
    return Entry(key.start, head, value, key.text, key.end)


def _head(value: Part, behind: int) -> int:
    return value.bare if value.bare > value.start else behind
