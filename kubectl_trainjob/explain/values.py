"""What a line of a template mentions of its overlay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.source import Place, Pointer
from kubectl_trainjob.yamlio.stream import LINE_END

_FACTS = re.compile(r"\boverlay\.(namespace|nameSuffix)\b")
_VALUES = re.compile(r"""\bvalues((?:\.[A-Za-z_]\w*|\[(?:"[^"]*"|'[^']*')\])+)""")
_KEY = re.compile(r"""\.([A-Za-z_]\w*)|\[["']([^"']*)["']\]""")


def mentioned_values(place: Place) -> Iterator[Pointer]:
    """Pointers into an overlay for each `values.…` and `overlay.…` on the line of a template, each once.

    A line inside of a loop may use a value by another name: then none is found, though the template is right.
    """
    if place.span is None:
        return
    lines = LINE_END.split(place.source.file.text)
    text = lines[place.span.line - 1] if place.span.line <= len(lines) else ""
    values = (("values", *_keys(match[1])) for match in _VALUES.finditer(text))
    yield from dict.fromkeys((*values, *((fact,) for fact in _FACTS.findall(text))))


def _keys(text: str) -> Iterator[str]:
    for key, quoted in _KEY.findall(text):
        yield key or quoted
