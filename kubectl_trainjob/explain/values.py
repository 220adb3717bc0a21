"""The values of an overlay that a line of a template mentions, also by local names of the template."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.repository.positions import Location
from kubectl_trainjob.repository.yaml.stream import LINE_END

_FACTS = re.compile(r"\boverlay\.(namespace|namePrefix|nameSuffix)\b")
_VALUES = re.compile(r"""\bvalues((?:\.[A-Za-z_]\w*|\[(?:"[^"]*"|'[^']*')\])+)""")
_KEY = re.compile(r"""\.([A-Za-z_]\w*)|\[["']([^"']*)["']\]""")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_WORD = re.compile(r"\w+")
_NAMES = re.compile(r"[\w\s,]+")
_MARKS = {"for": re.compile(r"\sin\b"), "set": re.compile("=")}  # between names and their expression
_MOST = 100  # values that one name or line mentions; every name can lead to all earlier ones

MentionedValues = tuple[Pointer, ...]


class _TemplateLines:
    """The lines of a template, and the meanings of each name with the numbers of the lines that define it."""

    def __init__(self, text: str) -> None:
        self.lines = LINE_END.split(text)
        self._names: dict[str, tuple[list[int], list[MentionedValues]]] = {}
        starts = [found.end() for found in LINE_END.finditer(text)]
        for statement, end in _between(text, "{%", "%}"):
            names, expression = _naming(statement)
            number = bisect_right(starts, end) + 1
            found = self.mentioned(expression, number) if names else ()
            for name in names:
                numbers, meanings = self._names.setdefault(name, ([], []))
                numbers.append(number)
                meanings.append(found)

    def mentioned(self, expression: str, line: int) -> MentionedValues:
        """What an expression on a line mentions, each once."""
        return tuple(islice(dict.fromkeys(self._mentioned(expression, line)), _MOST))

    def _mentioned(self, expression: str, line: int) -> Iterator[Pointer]:
        for match in _VALUES.finditer(expression):
            yield ("values", *(key or quoted for key, quoted in _KEY.findall(match[1])))
        for fact in _FACTS.findall(expression):
            yield (fact,)
        for name in dict.fromkeys(_NAME.findall(expression)):
            numbers, meanings = self._names.get(name, ((), ()))
            if before := bisect_right(numbers, line):
                yield from meanings[before - 1]


@lru_cache(maxsize=4)  # a report reads each line
def template_lines(text: str) -> _TemplateLines:
    """The lines of a template, and what its names mean."""
    return _TemplateLines(text)


def mentioned_values(location: Location) -> MentionedValues:
    """Pointers into an overlay for what the expressions on the line of a template mention, each once, at most 100.

    A name of a loop or of `set` leads to its expression. A line may mention more values than the requested one depends
    on: which expression rendered which part of it is unknown.
    """
    template, number = template_lines(location.file.text), location.span.line
    text = template.lines[number - 1] if number <= len(template.lines) else ""
    return template.mentioned(" ".join(each for each, _ in _between(text, "{{", "}}")), number)


def _between(text: str, opened: str, closed: str) -> Iterator[tuple[str, int]]:
    """The texts between two marks, and their ends."""
    end = 0
    while (start := text.find(opened, end)) >= 0 and (end := text.find(closed, start + len(opened))) >= 0:
        yield text[start + len(opened) : end], end


def _naming(statement: str) -> tuple[list[str], str]:
    """The names that a statement defines, and their expression; no names for other statements."""
    word, *rest = statement.strip("-+ \t\r\n").split(None, 1)[:2] or [""]
    names, *expression = _MARKS[word].split(rest[0], 1) if rest and word in _MARKS else [""]
    is_naming = expression and _NAMES.fullmatch(names)
    return (_WORD.findall(names), expression[0]) if is_naming else ([], "")
