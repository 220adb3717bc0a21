"""The test's own look at an input: its documents, the lines of a field, and the input reduced to some documents.

Positions come from PyYAML's marks, so that they judge the ones that the product prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import yaml

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]|\[([^\]]+)\]")
_SEPARATOR = re.compile(r"^---(?:\s|$)")


@dataclass(frozen=True)
class Document:
    """One document; `first` and `last` are its lines, from 1, `text` keeps only them (others are blank lines)."""

    text: str
    first: int
    last: int

    @cached_property
    def body(self) -> dict[str, Any]:
        """The object; {} where there is none."""
        loaded = yaml.load(self.text, yaml.CSafeLoader)
        return loaded if isinstance(loaded, dict) else {}

    @property
    def kind(self) -> str:
        """The object's kind."""
        return str(self.body.get("kind", ""))

    @property
    def name(self) -> str:
        """The object's name."""
        return str((self.body.get("metadata") or {}).get("name", ""))

    @property
    def is_job(self) -> bool:
        """Whether this is a TrainJob."""
        return self.kind == "TrainJob"

    def lines_of(self, field: str) -> tuple[range, bool]:
        """The lines of a field or of its nearest existing parent, and whether the field itself exists."""
        return _lines_of(yaml.compose(self.text, yaml.SafeLoader), steps(field), range(self.first, self.last + 1))


def steps(field: str) -> list[str | int]:
    """A field path of Kubernetes' (`spec.env[0]`, `limits[nvidia.com/gpu]`) as keys and indices."""
    return [int(m[2]) if m[2] else m[1] or m[3] for m in _STEP.finditer(field)]


def _lines_of(node: yaml.Node | None, path: list[str | int], around: range) -> tuple[range, bool]:
    if not path:
        return around, True
    step, *rest = path
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        entry = node.value[step]
        return _lines_of(entry, rest, _span(entry, entry))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return _lines_of(value, rest, _span(key, value))
    return around, False


def _span(start: yaml.Node, end: yaml.Node) -> range:
    last = end.end_mark.line + (1 if end.end_mark.column > 0 or end.end_mark.line == start.start_mark.line else 0)
    return range(start.start_mark.line + 1, last + 1)


def split(text: str) -> list[Document]:
    """The documents of a stream, each in a text of the stream's own line numbers."""
    lines = text.split("\n")
    starts = [0, *(i for i, line in enumerate(lines) if _SEPARATOR.match(line)), len(lines)]
    return [
        Document(_only(lines, range(start, end)), start + 1, end)
        for start, end in pairwise(starts)
        if any(line.strip() and not line.startswith("#") for line in lines[start:end] if not _SEPARATOR.match(line))
    ]


def reduced(text: str, keep: Callable[[Document], bool]) -> str:
    """The stream with blank lines in place of the documents that `keep` rejects."""
    lines = text.split("\n")
    for document in split(text):
        if not keep(document):
            for index in range(document.first - 1, document.last):
                lines[index] = "" if not _SEPARATOR.match(lines[index]) else "---"
    return "\n".join(lines)


def _only(lines: list[str], wanted: range) -> str:
    return "\n".join(line if i in wanted else "" for i, line in enumerate(lines) if i < wanted.stop)
