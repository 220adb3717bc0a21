"""Lines of a template, as both sides of the wire count them: as Jinja does, in columns and lines as YAML does."""

from __future__ import annotations

import re

from kubectl_trainjob.model.source import Span
from kubectl_trainjob.repository.yaml.stream import Lines

TEMPLATE_LINE_END = re.compile("\r\n|[\n\r]")
"""Where a template's lines end as Jinja counts them; YAML counts more."""

BLANKS = re.compile("[ \t]*")


def line_span(template: str, line: int, column: int = 0) -> Span:
    """A line of a template, as Jinja counts, without the blanks around it; the first or last one if there is none.

    With a column, the character there.
    """
    start, end = 0, len(template)
    for number, found in enumerate(TEMPLATE_LINE_END.finditer(template), 1):
        if number >= line:
            end = found.start()
            break
        start = found.end()
    if 0 < column <= end - start:
        return Lines(template).span(start + column - 1, start + column)
    blanks = BLANKS.match(template, start, end)
    return Lines(template).span(blanks.end() if blanks else start, end)


def code_line(table: str, line: int) -> int:
    """The line for a line of code, by Jinja2's table: `1=10&3=12` (line of the template, first line of its code)."""
    pairs = [pair.split("=") for pair in table.split("&") if pair]
    return next((int(ours) for ours, first in reversed(pairs) if int(first) <= line), 1)
