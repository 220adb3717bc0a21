"""Text inside a document, a patch as a block scalar say, as a file of its own whose places lead back."""

from __future__ import annotations

import re

from kubectl_trainjob.source import Place, SourceFile, Written
from kubectl_trainjob.yamlio.spans import Locator

_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def inline_file(place: Place, text: str) -> SourceFile:
    """The text at `place`; its lines are those of the block scalar there, or all the line where a scalar begins."""
    settled = Locator().settle(place)
    outer, span = settled.source.file, settled.span
    assert span is not None
    count = len(_LINE_END.split(text))
    below = _LINE_END.split(outer.text)[span.line : span.line + count]
    own = _LINE_END.split(text)
    pairs = [(line, each) for line, each in zip(below, own, strict=False) if each.strip()]
    indent = max(len(pairs[0][0]) - len(pairs[0][1]), 0) if pairs else 0
    is_block = all(line[indent:] == each for line, each in pairs)
    if is_block and len(below) >= count - 1:
        return SourceFile(outer.path, text, Written(outer, tuple(range(span.line + 1, span.line + 1 + count)), indent))
    return SourceFile(outer.path, text, Written(outer, (span.line,) * count))
