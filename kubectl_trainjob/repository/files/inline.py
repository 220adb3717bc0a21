"""Text inside a document, a patch as a block scalar say, as a file of its own whose places lead back."""

from __future__ import annotations

from itertools import islice

from kubectl_trainjob.model.source import Place, SourceFile, Span, Written
from kubectl_trainjob.repository.yaml.spans import Spans
from kubectl_trainjob.repository.yaml.stream import LINE_END, Lines


class Inline:
    """Makes files of the texts in a few documents, each of which it takes apart once."""

    def __init__(self) -> None:
        self._spans = Spans()

    def file(self, place: Place, text: str) -> SourceFile:
        """The text at `place`; its lines are those of the block scalar there, or all the line where a scalar begins."""
        file = place.source.file
        return _inline_file(file, self._spans.lines(file), self._spans.span(place), text)


def _inline_file(outer: SourceFile, lines: Lines, span: Span, text: str) -> SourceFile:
    own = LINE_END.split(text)
    count = len(own)
    below = list(islice(lines.since(span.line + 1), count))
    pairs = [(line, each) for line, each in zip(below, own, strict=False) if each.strip()]
    indent = max(len(pairs[0][0]) - len(pairs[0][1]), 0) if pairs else 0
    is_block = bool(pairs) and all(line[indent:] == each for line, each in pairs)
    if is_block and len(below) >= count - 1:
        return SourceFile(outer.path, text, Written(outer, tuple(range(span.line + 1, span.line + 1 + count)), indent))
    return SourceFile(outer.path, text, Written(outer, (span.line,) * count))
