"""The syntax of regular expressions as RE2 has it, as far as `pattern` knows it: text to a tree.

Mirrors Go's regexp/syntax/parse.go with the flags of `regexp.Compile` (Perl). What a tree cannot say is refused by
name: flags, named groups, look-around, back-references, word boundaries, Unicode and POSIX classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, Union

MOST_REPEATS = 64
DEEPEST = 50

Range = tuple[str, str]
Node = Union["Chars", "Chain", "Choice", "Repeat", "Edge"]


class PatternError(ValueError):
    """A pattern that is wrong or not supported; from `parse` the message goes on after 'the pattern "…" '."""


class Chars(NamedTuple):
    """One character out of `ranges` (both ends count), or one outside of them."""

    ranges: tuple[Range, ...]
    is_negated: bool = False


class Chain(NamedTuple):
    """One node after the other."""

    items: tuple[Node, ...]


class Choice(NamedTuple):
    """One of several nodes."""

    options: tuple[Node, ...]


class Repeat(NamedTuple):
    """A node `least` to `most` times; None: as often as you like."""

    item: Node
    least: int
    most: int | None


class Edge(NamedTuple):
    """The start or the end of the text."""

    at_end: bool


_LAST = chr(0x10FFFF)
_CLASSES: dict[str, tuple[Range, ...]] = {
    "d": (("0", "9"),),
    "w": (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z")),
    "s": (("\t", "\n"), ("\f", "\r"), (" ", " ")),
}
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_EDGES = {"A": Edge(at_end=False), "z": Edge(at_end=True)}
_BOUNDS = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_HEXADECIMAL = re.compile(r"x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,8})\})")
_SIMPLE_BOUNDS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def parse(text: str, longest: int) -> Node:
    """The tree of a pattern of at most `longest` characters. Raises PatternError."""
    if len(text) > longest:
        raise PatternError(f"has more than {longest} characters")
    parser = _Parser(text)
    node = parser.choice(0)
    if parser.rest():
        raise PatternError('has a ")" without a "("')
    return node


class _Parser:
    """Reads the text from left to right; each method takes what it reads."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def rest(self) -> str:
        """The next character, "" at the end."""
        return self._text[self._at : self._at + 1]

    def choice(self, depth: int) -> Node:
        """Alternatives, up to a ")" or the end."""
        if depth > DEEPEST:
            raise PatternError(f"has groups nested deeper than {DEEPEST}")
        options = [self._chain(depth)]
        while self._take("|"):
            options.append(self._chain(depth))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _take(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _next(self, missing: str) -> str:
        char = self.rest()
        if not char:
            raise PatternError(f"ends in the middle: {missing}")
        self._at += 1
        return char

    def _chain(self, depth: int) -> Node:
        items = []
        while self.rest() not in ("", "|", ")"):
            if self._bounds() is not None:
                raise PatternError("repeats nothing: a repetition stands behind what it repeats")
            items.append(self._repeated(self._single(depth)))
        return items[0] if len(items) == 1 else Chain(tuple(items))

    def _repeated(self, item: Node) -> Node:
        bounds = self._bounds()
        if bounds is None:
            return item
        if self._bounds() is not None:
            raise PatternError("repeats a repetition; put the inner one in a group")
        return Repeat(item, *bounds)

    def _bounds(self) -> tuple[int, int | None] | None:
        """A repetition, if one comes next; that it should be short or long makes no difference to a whole text."""
        bounds = _SIMPLE_BOUNDS.get(self.rest())
        if bounds is not None:
            self._at += 1
        else:
            counted = _BOUNDS.match(self._text, self._at)
            if counted is None:
                return None
            self._at = counted.end()
            bounds = _counts(counted)
        self._take("?")
        return bounds

    def _single(self, depth: int) -> Node:
        char = self._next("")
        if char == "(":
            return self._group(depth)
        if char == "[":
            return self._chars()
        if char == "\\":
            return self._escape()
        if char == ".":
            return Chars((("\n", "\n"),), is_negated=True)
        return Edge(char == "$") if char in "^$" else _only(char)

    def _group(self, depth: int) -> Node:
        if self._take("?") and not self._take(":"):
            piece = self._text[self._at - 2 : self._at + 2]
            raise PatternError(f'uses "{piece}…", which is not supported; write "(…)" or "(?:…)"')
        node = self.choice(depth + 1)
        self._next('a ")" is missing')
        return node

    def _escape(self) -> Node:
        if (edge := _EDGES.get(self.rest())) is not None:
            self._at += 1
            return edge
        return Chars(self._escaped())

    def _escaped(self) -> tuple[Range, ...]:
        """What stands for characters behind a backslash, inside a class or outside."""
        code = _HEXADECIMAL.match(self._text, self._at)
        if code is not None and int(code[1] or code[2], 16) <= ord(_LAST):
            self._at = code.end()
            return _only(chr(int(code[1] or code[2], 16))).ranges
        char = self._next("a backslash stands last")
        if char.lower() in _CLASSES:
            ranges = _CLASSES[char.lower()]
            return ranges if char.islower() else _others(ranges)
        if char in _CONTROLS:
            return _only(_CONTROLS[char]).ranges
        if not char.isascii() or char.isalnum():
            raise PatternError(rf'uses "\{char}", which is not supported')
        return _only(char).ranges

    def _chars(self) -> Chars:
        is_negated = self._take("^")
        ranges: list[Range] = []
        is_first = True
        while is_first or self.rest() != "]":
            is_first = False
            ranges += self._range()
        self._at += 1
        return Chars(tuple(ranges), is_negated)

    def _range(self) -> tuple[Range, ...]:
        start = self._at
        if self._text.startswith("[:", start):
            raise PatternError('uses "[:…:]", which is not supported; write the characters')
        first = self._class_member()
        behind = self._at
        if not _is_one(first) or not self._take("-") or self.rest() in ("", "]"):
            self._at = behind
            return first
        last = self._class_member()
        low, high = first[0][0], last[0][1]
        if not _is_one(last) or high < low:
            raise PatternError(f'has the range "{self._text[start : self._at]}", which is none')
        return ((low, high),)

    def _class_member(self) -> tuple[Range, ...]:
        char = self._next('a "]" is missing')
        return self._escaped() if char == "\\" else _only(char).ranges


def _only(char: str) -> Chars:
    return Chars(((char, char),))


def _is_one(ranges: tuple[Range, ...]) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _counts(match: re.Match[str]) -> tuple[int, int | None]:
    least = int(match[1][-9:])
    most = least if match[2] is None else int(match[3][-9:]) if match[3] else None
    if max(least, most or 0) > MOST_REPEATS or len(match[0]) > 20:
        raise PatternError(f'repeats more than {MOST_REPEATS} times: "{match[0]}"')
    if most is not None and most < least:
        raise PatternError(f'has the bounds "{match[0]}", the wrong way round')
    return least, most


def _others(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """All characters outside of `ranges`, which are in order."""
    found, start = [], 0
    for low, high in ranges:
        if start < ord(low):
            found.append((chr(start), chr(ord(low) - 1)))
        start = ord(high) + 1
    return (*found, (chr(start), _LAST))
