"""Comments that keep lint from telling something: where they stand in a file, and which of its lines they are about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kubectl_trainjob.model.source import SourceFile, Span
from kubectl_trainjob.repository.yaml.inside import outside_values
from kubectl_trainjob.repository.yaml.stream import LINE_END

_COMMENT = re.compile(
    r"(?:^|(?<=\s))#[ \t]*trainjob:[ \t]*ignore\b(?P<rule>\[[^\]]*\])?(?P<rest>(?:(?!#[ \t]*trainjob:).)*)"
)
_KEY = re.compile(
    r":(?:[ \t]+[&!]\S*)*[ \t]*(?:[ \t]#.*)?$"
)  # nothing stands behind it but an anchor, a tag, a comment
_UNTIL = re.compile(r"(?:^|\s)until=(\S*)")


@dataclass(frozen=True, slots=True)
class Words:
    """What a suppression says: "" for what it does not say. `until` is what stands behind `until=`."""

    rule: str
    reason: str
    until: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment at `span`, about the lines from `first` to `last`."""

    words: Words
    span: Span
    first: int
    last: int


def words(rule: str, rest: str) -> Words:
    """What is said of a rule: a reason, and an end, in any order."""
    until = _UNTIL.search(rest)
    reason = _UNTIL.sub(" ", rest).strip()
    return Words(rule.strip(), reason, until[1] if until else "")


def comments_of(file: SourceFile) -> Iterator[Comment]:
    """Every comment of a file that asks for something to be ignored."""
    if "trainjob:" not in file.text:
        return
    lines = LINE_END.split(file.text)
    followers = _followers(lines)
    found = {offset: (number, match) for number, offset, match in _candidates(file.text, lines)}
    for offset in outside_values(file.text, found):
        number, match = found[offset]
        span = Span(number, match.start() + 1, number, match.end() + 1)
        first = number if _has_content(lines[number - 1][: match.start()]) else followers[number]
        yield Comment(words((match["rule"] or "").strip("[]"), match["rest"]), span, first, _last(lines, first))


def _candidates(text: str, lines: list[str]) -> Iterator[tuple[int, int, re.Match[str]]]:
    """What looks like such a comment: its line, its offset, and what it says."""
    start = 0
    for number, line in enumerate(lines, 1):
        for match in _COMMENT.finditer(line) if "trainjob:" in line else ():
            yield number, start + match.start(), match
        start += len(line)
        end = LINE_END.match(text, start)
        start = end.end() if end else start


def _has_content(before: str) -> bool:
    """Whether anything but a comment stands before a comment."""
    return bool(before.strip()) and not before.lstrip().startswith("#")


def _followers(lines: list[str]) -> list[int]:
    """By the number of a line the next one that is neither empty nor a comment; the line's own where there is none."""
    found, follower = [0] * (len(lines) + 1), 0
    for number in range(len(lines), 0, -1):
        found[number] = follower or number
        text = lines[number - 1].lstrip()
        if text and not text.startswith("#"):
            follower = number
    return found


def _last(lines: list[str], first: int) -> int:
    """The last line of the entry or item that begins at a line: what follows is indented further.

    A list may stand under its key without being indented further.
    """
    start = lines[first - 1]
    indent = _indent(start)
    is_key = not start.lstrip().startswith("- ") and _KEY.search(start) is not None

    def belongs(line: str) -> bool:
        if not line.strip() or _indent(line) > indent:
            return True
        return is_key and _indent(line) == indent and line.lstrip().startswith("-")

    last = number = first
    while number < len(lines) and belongs(lines[number]):
        number += 1
        if lines[number - 1].strip():
            last = number
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
