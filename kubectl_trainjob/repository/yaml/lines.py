"""The lines of a document that `emit` wrote, and the value that begins on each."""

from __future__ import annotations

from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.repository.yaml.compose import MappingNode, Node, SequenceNode, roots


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
