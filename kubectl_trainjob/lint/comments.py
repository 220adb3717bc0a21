"""Comments and annotations that suppress findings, and what they are about: lines, objects, Pod templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.lint.marks import pod_templates
from kubectl_trainjob.model.source import Pointer, SourceFile, Span, mapping_at
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.repository.yaml.spans import outside_values
from kubectl_trainjob.repository.yaml.stream import LINE_END

PREFIX = "lint.kubectl-trainjob.dev/ignore."
_COMMENT = re.compile(
    r"(?:^|(?<=\s))#[ \t]*trainjob:[ \t]*ignore\b(?P<rule>\[[^\[\]]*+\])?(?P<rest>(?:(?!#[ \t]*trainjob:).)*)"
)
_COMMENT_START = re.compile(r"(?:^|[ \t])#")
_UNTIL = re.compile(r"(?:^|\s)until=(\S*)")


class Words(NamedTuple):
    """The rule, the reason and the date after `until=` of a suppression; "" for each missing part."""

    rule: str
    reason: str
    until: str


class Comment(NamedTuple):
    """A comment at `span`, about the lines from `first` to `last`."""

    words: Words
    span: Span
    first: int
    last: int


def words(rule: str, rest: str) -> Words:
    """The parts of a suppression; in `rest` the reason and the date can have any order."""
    until = _UNTIL.search(rest)
    reason = _UNTIL.sub(" ", rest).strip()
    return Words(rule.strip(), reason, until[1] if until else "")


def comments_of(file: SourceFile) -> Iterator[Comment]:
    """Every comment of a file that suppresses a rule."""
    if "trainjob:" not in file.text:
        return
    lines = LINE_END.split(file.text)
    followers = _followers(lines)
    found = {candidate.offset: candidate for candidate in _candidates(file.text, lines)}
    last: dict[int, int] = {}  # many comments may be about one entry
    for offset in outside_values(file.text, found):
        _, number, match, has_content = found[offset]
        span = Span(number, match.start() + 1, number, match.end() + 1)
        first = number if has_content else followers[number]
        if first not in last:
            last[first] = _last(lines, first)
        yield Comment(words((match["rule"] or "").strip("[]"), match["rest"]), span, first, last[first])


class _Candidate(NamedTuple):
    """A text that looks like such a comment, and whether there is content before it on its line."""

    offset: int
    line: int
    match: re.Match[str]
    has_content: bool


def _candidates(text: str, lines: list[str]) -> Iterator[_Candidate]:
    start = 0
    for number, line in enumerate(lines, 1):
        content = _indent(line)
        for match in _COMMENT.finditer(line) if "trainjob:" in line else ():
            yield _Candidate(start + match.start(), number, match, match.start() > content and line[content] != "#")
        start += len(line)
        end = LINE_END.match(text, start)
        start = end.end() if end else start


def _followers(lines: list[str]) -> list[int]:
    """By the number of a line the next one that is neither empty nor a comment; its own number if there is none."""
    found, follower = [0] * (len(lines) + 1), 0
    for number in range(len(lines), 0, -1):
        found[number] = follower or number
        text = lines[number - 1].lstrip()
        if text and not text.startswith("#"):
            follower = number
    return found


def _last(lines: list[str], first: int) -> int:
    """The last line of the entry or item that begins at a line: the following lines have a larger indent.

    A list may have the indent of its key.
    """
    start = lines[first - 1]
    indent = _indent(start)
    is_key = not start.lstrip().startswith("- ") and _is_key(start)

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


def _is_key(line: str) -> bool:
    """Whether a line ends with a key: only an anchor, a tag or a comment follows."""
    words = _COMMENT_START.split(line, 1)[0].split()
    while words and words[-1].startswith(("&", "!")):
        words.pop()
    return bool(words) and words[-1].endswith(":")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class Annotation(NamedTuple):
    """An annotation at `pointer`, for all values below `owner`: the whole object, or a Pod template."""

    words: Words
    pointer: Pointer
    owner: Pointer

    @property
    def is_whole(self) -> bool:
        """Whether it is about the whole object."""
        return not self.owner

    def covers(self, pointer: Pointer) -> bool:
        """Whether it is about a value of its object."""
        return pointer[: len(self.owner)] == self.owner


def suppressing_annotations(body: Body) -> Iterator[Annotation]:
    """Every such annotation of an object as written."""
    for owner in ((), *pod_templates(body), *pod_templates(body, ("spec", "template"))):
        pointer = (*owner, "metadata", "annotations")
        for key, value in mapping_at(body, *pointer).items():
            if isinstance(key, str) and key.startswith(PREFIX):
                found = words(key.removeprefix(PREFIX), value if isinstance(value, str) else "")
                yield Annotation(found, (*pointer, key), owner)
