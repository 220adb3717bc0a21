"""An object's text as `build` prints it, and the value that each line shows."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter
from kubectl_trainjob.repository.yaml.lines import beginnings


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
