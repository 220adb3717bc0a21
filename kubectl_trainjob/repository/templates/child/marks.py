"""Marks in the text of a template, which show the line of the template for each rendered line.

Every piece of a template's text, and every `{{`, follows a mark with its line. Marks pass through loops, macros and
filters like any text: a second rendering, of the same code with marks, shows the lines of the plain one. A template may
use marked text differently (count its characters). Therefore the marked text without marks is compared with the plain
one; where they differ, only their common lines are known.

`sandbox` adds marks to the tokens of a template. These remove or ignore them:

rendering   removes them from the code of the plain rendering; uses none if the template or its values have such
            characters (`can_be_marked`), or if the rendering with marks fails
sandbox     what is compared, read, formatted or called is `bare`; a macro or block of only marks is empty (`concat`)
filters     filters, tests and methods get bare texts, except those that return texts unchanged: `_KEEP_MARKS`,
            `indent`, `items`, `join`, `string`, and `trim`, which is `trimmed` here
text        JSON, YAML and quoted text
`line_map`  reads the marks of the finished text, and removes them
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from itertools import accumulate

from kubectl_trainjob.repository.templates.protocol import BLANKS, TEMPLATE_LINE_END
from kubectl_trainjob.repository.yaml.stream import LINE_END

_YAML_ONLY = re.compile("[\x85\u2028\u2029]")

# Characters that mean nothing in any text (Unicode: noncharacters).
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_ESCAPED = re.compile(r"\\(?:u|U0000)fdd[01]", re.IGNORECASE)


def can_be_marked(text: str) -> bool:
    """Whether the text, and the characters that it escapes, have no marks."""
    return _OPEN not in text and _CLOSE not in text and not _ESCAPED.search(text)


def mark(line: int) -> str:
    """The mark before a piece of a template's text."""
    return f"{_OPEN}{line}{_CLOSE}"


def unmarked(text: str) -> str:
    """Text without its marks."""
    return MARK.sub("", text) if _OPEN in text else text


def trimmed(text: str) -> str:
    """Text without blanks at its ends; marks stay before their text."""
    if _OPEN not in text:
        return text.strip()
    pieces = MARK.split(text)
    texts, marks = pieces[::2], ["", *map(mark, map(int, pieces[1::2]))]
    seen = [index for index, piece in enumerate(texts) if piece.strip()]
    if not seen:
        return ""
    texts[seen[0]] = texts[seen[0]].lstrip()
    texts[seen[-1]] = texts[seen[-1]].rstrip()
    return "".join([marks[index] + texts[index] for index in range(seen[0], seen[-1] + 1)])


def marked_lines(data: str, line: int) -> str:
    """A piece of a template's text, from a line of the template on, with a mark for each line."""
    parts = [mark(line)]
    start = 0
    for count, end in enumerate(LINE_END.finditer(data), 1):
        parts.append(data[start : end.end()])
        start = end.end()
        if start < len(data):
            parts.append(mark(line + count))
    parts.append(data[start:])
    return "".join(parts)


def yaml_lines(template: str) -> list[int]:
    """For each line of a template, as Jinja counts them, the number of the line in YAML."""
    each = [1 + len(_YAML_ONLY.findall(line)) for line in TEMPLATE_LINE_END.split(template)]
    return list(accumulate(each[:-1], initial=1))


def line_map(marked: str, plain: str) -> array[int]:
    """Item i is the line of the template that line i + 1 of `plain` comes from."""
    pieces = MARK.split(marked)
    text = "".join(pieces[::2])
    lines = _lines_of(text, list(accumulate(map(len, pieces[::2]))), array("I", [1, *map(int, pieces[1::2])]))
    return lines if text == plain else _share_lines(lines, LINE_END.split(text), LINE_END.split(plain))


def _lines_of(text: str, ends: list[int], numbers: array[int]) -> array[int]:
    """`numbers[i]` holds up to `ends[i]`; a line begins at its first visible character, an empty one at its end."""
    lines = array("I")
    start = 0
    for end in [*(match.end() for match in LINE_END.finditer(text)), len(text)]:
        blanks = BLANKS.match(text, start)
        seen = blanks.end() if blanks else start
        lines.append(numbers[min(bisect_right(ends, min(seen, max(end - 1, start))), len(numbers) - 1)])
        start = end
    return lines


def _share_lines(lines: array[int], marked: list[str], plain: list[str]) -> array[int]:
    """The map of the common lines at both ends; lines that differ have the line where the difference begins."""
    most = min(len(marked), len(plain))
    head = next((n for n in range(most) if marked[n] != plain[n]), most)
    tail = next((n for n in range(most - head) if marked[-1 - n] != plain[-1 - n]), most - head)
    unknown = lines[min(head, len(lines) - 1)]
    return lines[:head] + array("I", [unknown]) * (len(plain) - head - tail) + lines[len(lines) - tail :]
