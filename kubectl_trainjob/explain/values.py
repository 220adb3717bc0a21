"""The values of an overlay that a line of a template mentions, also by local names of the template."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.repository.positions import Location
from kubectl_trainjob.repository.yaml.stream import LINE_END

_EXPRESSION = re.compile(r"\{\{(.*?)\}\}")
_NAMING = re.compile(r"\{%-?\s*(?:for\s+([\w\s,]+?)\s+in|set\s+([\w\s,]+?)\s*=)\s*(.*?)-?%\}", re.DOTALL)
_FACTS = re.compile(r"\boverlay\.(namespace|namePrefix|nameSuffix)\b")
_VALUES = re.compile(r"""\bvalues((?:\.[A-Za-z_]\w*|\[(?:"[^"]*"|'[^']*')\])+)""")
_KEY = re.compile(r"""\.([A-Za-z_]\w*)|\[["']([^"']*)["']\]""")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")

Names = dict[str, tuple[Pointer, ...]]


def mentioned_values(location: Location) -> Iterator[Pointer]:
    """Pointers into an overlay for what the expressions on the line of a template mention, each once.

    A name of a loop or of `set` leads to its expression. A line may mention more values than the requested one depends
    on, because it is unknown which expression rendered which part of the line.
    """
    lines = LINE_END.split(location.file.text)
    text = lines[location.span.line - 1] if location.span.line <= len(lines) else ""
    names = _names("\n".join(lines[: location.span.line]))
    expressions = " ".join(_EXPRESSION.findall(text))
    yield from dict.fromkeys(_mentioned(expressions, names))


def _names(text: str) -> Names:
    """The meaning of the names that the template has defined so far."""
    names: Names = {}
    for of_loop, of_set, expression in _NAMING.findall(text):
        found = tuple(_mentioned(expression, names))
        names |= dict.fromkeys(re.findall(r"\w+", of_loop or of_set), found)
    return names


def _mentioned(expression: str, names: Names) -> Iterator[Pointer]:
    for match in _VALUES.finditer(expression):
        yield ("values", *(key or quoted for key, quoted in _KEY.findall(match[1])))
    for fact in _FACTS.findall(expression):
        yield (fact,)
    for name in _NAME.findall(expression):
        yield from names.get(name, ())
