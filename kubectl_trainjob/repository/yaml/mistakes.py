"""Two frequent mistakes in a file: objects without a line --- between them, and what a template tool fills in."""

from __future__ import annotations

from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.repository.yaml.compose import Node

OF_OBJECTS = frozenset({"apiVersion", "kind"})
_TAGS = ("{{", "{%")


def has_objects(node: Node) -> bool:
    """Whether the mapping of a document has several objects, each with its own type."""
    names = [each.value for each, _ in node.value]
    return all(names.count(each) > 1 for each in OF_OBJECTS)


def dashes(text: str, at: int) -> str:
    """The line of a position if it has only dashes, which are not at its start or too few; else empty."""
    line = line_of(text, at)[1].strip()
    return line if line and not line.strip("-") else ""


def template_tag(text: str, at: int) -> tuple[int, int, Message] | None:
    """The first tag of a template in a line, outside of quotes and comments, and what to do."""
    start, line = line_of(text, at)
    found = min((each for each in map(line.find, _TAGS) if each >= 0), default=-1)
    if found < 0 or any(each in f" {line[:found]}" for each in ('"', "'", " #")):
        return None
    message = say(
        '"{}" begins a template tag; render the file first: helm template CHART | kubectl trainjob build -',
        line[found : found + 2],
    )
    return start + found, start + found + 2, message


def collection_key(text: str, at: int) -> Message:
    """What to do about a key that is a mapping or list."""
    tag = template_tag(text, at)
    return tag[2] if tag else say("a key is a mapping or list; write a name, or quote the whole key")


def line_of(text: str, at: int) -> tuple[int, str]:
    """The line of a position, and where it starts."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    return start, text[start : end if end >= 0 else len(text)]
