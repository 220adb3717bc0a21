"""An object's text as `build` prints it, and the value that begins on each line."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.repository.yaml.compose import MappingNode, Node, SequenceNode, roots
from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter


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
    become part of the text.
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
