"""Regular expressions that users write, matched against whole texts in linear time, without backtracking.

The syntax is what selectors and image names need of RE2 (Go's `regexp/syntax`, which kustomize uses): characters, `.`,
classes in brackets, `\\d`, `\\w`, groups, `|`, `*`, `+`, `?`, `^` at the start and `$` at the end. Accepted patterns
have the same meaning as there; others are errors. Each character of a pattern is one position of an automaton after
Glushkov: a set of positions is a number with one bit for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.compiler.errors import MessageError
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.message import Message, say

__all__ = ["Pattern", "PatternError", "compile_pattern"]

LONGEST = 5000
DEEPEST = 50

_SPECIAL = frozenset("\\.[](){}*+?|^$")
_CACHE_SIZE = 4000
_CHARACTERS = 8  # of a text that are read in one step, where the positions that they lead to are known

_ESCAPE = r"\\[ -/:-@\[-`{-~]"
_MEMBER = rf"(?:{_ESCAPE}|[^\\\]\[])"
# Python reads these classes as Go does; it warns of those with "--", "&&", "~~" or "||".
_CLASS = re.compile(rf"\[\^?+\]?+(?:\\[dw](?!-[^\]])|(?!--|&&|~~|\|\|){_MEMBER}(?:-(?!-){_MEMBER})?)*+\]")
_SINGLE = re.compile(rf"\\[dw]|{_ESCAPE}|[^\\\[\](){{}}*+?|^$]|[\]}}]")
_REPEAT = re.compile(r"([*+?])\??")  # whether it prefers few or many makes no difference to a whole text
_GROUP = re.compile(r"\((?:\?:|(?!\?))")


class PatternError(MessageError):
    """A pattern that is not supported; until `compile_pattern` the message goes on after 'the pattern "…" '."""


class _Part(NamedTuple):
    """A part of a pattern: the positions it can start and end with, and whether it matches the empty text."""

    first: int
    last: int
    is_optional: bool


class _Automaton:
    """The positions of a pattern, what each takes, and which ones follow it; position 0 is the start of the text."""

    def __init__(self, text: str, steps: Steps) -> None:
        if len(text) > LONGEST:
            raise PatternError(say("has more than {} characters", LONGEST))
        self._text = text
        self._at = 0
        self._steps = steps
        self._takes = [""]
        self._follow = [0]
        self._cache: dict[tuple[int, str], int] = {}
        whole = self._choice(0)
        if self._at < len(text):
            raise PatternError(say('has a ")" without a "("'))
        self._follow[0] = whole.first
        self._end = whole.last | whole.is_optional

    def accepts(self, text: str) -> bool:
        """Whether the whole text matches. Raises StepsError."""
        self._steps.take(len(text) // _CHARACTERS)
        positions = 1
        for char in text:
            positions = self._after(positions, char)
        return bool(positions & self._end)

    def _after(self, positions: int, char: str) -> int:
        known = self._cache.get((positions, char))
        if known is not None:
            return known
        following = 0
        for position in _bits(positions):
            following |= self._follow[position]
        self._steps.take(positions.bit_count() + following.bit_count())
        if len(self._cache) >= _CACHE_SIZE:
            self._cache.clear()
        new = sum(1 << position for position in _bits(following) if _takes(self._takes[position], char))
        self._cache[positions, char] = new
        return new

    def _choice(self, depth: int) -> _Part:
        """Read alternatives, up to a ")" or the end."""
        if depth > DEEPEST:
            raise PatternError(say("has groups nested deeper than {}", DEEPEST))
        part = self._chain(depth)
        while self._peek() == "|":
            self._at += 1
            other = self._chain(depth)
            part = _Part(part.first | other.first, part.last | other.last, part.is_optional or other.is_optional)
        return part

    def _chain(self, depth: int) -> _Part:
        if depth == 0 and self._peek() == "^":
            self._at += 1
        part = _Part(0, 0, is_optional=True)
        while self._peek() not in ("", "|", ")"):
            if depth == 0 and self._peek() == "$" and self._text[self._at + 1 : self._at + 2] in ("", "|"):
                self._at += 1
                break
            item = self._repeat(self._single(depth))
            self._join(part.last, item.first)
            part = _Part(
                part.first | item.first if part.is_optional else part.first,
                part.last | item.last if item.is_optional else item.last,
                part.is_optional and item.is_optional,
            )
        return part

    def _repeat(self, part: _Part) -> _Part:
        sign = self._take(_REPEAT)
        if not sign:
            return part
        if _REPEAT.match(self._text, self._at):
            raise PatternError(say("repeats a repetition; put the inner one in a group"))
        if sign[0] != "?":
            self._join(part.last, part.first)
        return part if sign[0] == "+" else part._replace(is_optional=True)

    def _single(self, depth: int) -> _Part:
        """Read a group, or what takes one character."""
        if self._take(_GROUP):
            part = self._choice(depth + 1)
            if self._peek() != ")":
                raise PatternError(say('ends before a ")"'))
            self._at += 1
            return part
        piece = self._take(_CLASS) or self._take(_SINGLE)
        if not piece:
            raise PatternError(_unsupported_syntax(self._text, self._at))
        return self._position(piece)

    def _position(self, piece: str) -> _Part:
        if piece[0] == "\\" and piece[1] not in "dw":
            piece = piece[1]
        elif piece == ".":
            piece = "[^\n]"
        elif piece[0] == "[":
            _check_class(piece)
        self._takes.append(piece)
        self._follow.append(0)
        bit = 1 << len(self._takes) - 1
        return _Part(bit, bit, is_optional=False)

    def _join(self, before: int, after: int) -> None:
        self._steps.take(before.bit_count() + 1)
        for position in _bits(before):
            self._follow[position] |= after

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match[0]


def _takes(piece: str, char: str) -> bool:
    return piece == char if len(piece) == 1 else re.fullmatch(piece, char, re.ASCII) is not None


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _check_class(piece: str) -> None:
    try:
        re.compile(piece, re.ASCII)
    except re.error as error:
        raise PatternError(say('has the class "{}": {}', piece, error.msg)) from None


def _unsupported_syntax(text: str, at: int) -> Message:
    """The end of the message for what the parser cannot read at an offset."""
    char = text[at]
    if char in "*+?":
        return say("repeats nothing; write a repetition after what it repeats")
    if char in "^$":
        return say('uses "{}" in the middle; it is supported only at the start or end of the whole pattern', char)
    if char == "{":
        return say(
            'uses "{}", which is not supported; write the part several times, or "{}" for the character', char, "\\{"
        )
    if char == "(":
        return say('uses "{}", which is not supported; write "(…)" or "(?:…)"', f"{text[at : at + 4]}…")
    if char == "[":
        piece, end, _ = text[at:].partition("]")
        return say('uses the class "{}", which is not supported', piece + end) if end else say('ends before a "]"')
    return say('uses "{}", which is not supported', text[at : at + 2]) if text[at + 1 :] else say("ends in a backslash")


class Pattern:
    """A pattern that can be asked about texts. Most are plain names, or names with dots, and need no automaton.

    One that `is_plain` matches only itself.
    """

    __slots__ = ("_automaton", "is_plain", "text")

    def __init__(self, text: str, steps: Steps) -> None:
        self.text = text
        special = _SPECIAL.intersection(text)
        self.is_plain = not special
        self._automaton = None if special <= {"."} else _Automaton(text, steps)

    @property
    def length(self) -> int | None:
        """The length of all texts that it matches, if it is fixed."""
        return len(self.text) if self._automaton is None else None

    def matches(self, text: str) -> bool:
        """Whether the pattern matches all of `text`. Raises StepsError."""
        if self._automaton is not None:
            return self._automaton.accepts(text)
        if self.is_plain or text == self.text:
            return text == self.text
        return len(text) == len(self.text) and all(
            wanted == char or (wanted == "." and char != "\n") for wanted, char in zip(self.text, text, strict=True)
        )


def compile_pattern(text: str, steps: Steps) -> Pattern:
    """The pattern that `text` is. Raises PatternError with a whole sentence, and StepsError."""
    try:
        return Pattern(text, steps)
    except PatternError as error:
        raise PatternError(say('the pattern "{}" {}', text, error.message)) from None
