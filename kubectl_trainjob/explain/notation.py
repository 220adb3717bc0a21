"""The steps of a path as users write it: dots, brackets, quotes and JSON pointers (see `path`)."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_LONGEST = 60  # characters of a name shown in a message

# Possessive: what matched one way is not tried another way.
_DOTTED = r"(?P<dotted>(?:[^.\[\]\\]|\\.)++)"
_QUOTED = r"""(?P<quote>["'])(?P<quoted>(?:(?!(?P=quote))[^\\]|\\.)*+)(?P=quote)"""
_BRACKETS = rf"""\[(?:{_QUOTED}|(?P<bare>(?!["'])(?:[^\]\\]|\\.)++))\]"""
_FIRST = re.compile(rf"\.?(?:{_BRACKETS}|{_DOTTED})", re.DOTALL)
_NEXT = re.compile(rf"\.?{_BRACKETS}|\.{_DOTTED}", re.DOTALL)
_CLOSED = re.compile(rf"\[{_QUOTED}", re.DOTALL)
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
_SIGNS = {
    ".": "no key follows this dot; write one, or remove the dot",
    "]": 'this "]" has no "["; remove it, or write "[" where the key begins',
    "\\": "no character follows this backslash; remove it",
}
_NO_SIGN = 'a step begins with "." or "["; write one of them here'


class PathError(Exception):
    """The path is not valid, or does not exist; the message says where, and what to write."""


class PathStep(NamedTuple):
    """One step; `form` is "dotted", "bare" or "quoted" in brackets, or a JSON pointer's "token"."""

    text: str
    form: str


def quote(text: str) -> str:
    """A word of the user in a message, cut if it is long."""
    return f'"{text}"' if len(text) <= _LONGEST else f'"{text[:_LONGEST]}..."'


def tokens(text: str) -> list[PathStep]:
    """The steps of a JSON pointer."""
    if invalid := re.search("~(?![01])", text):
        raise _unreadable(text, invalid.start(), 'a single "~" is not valid; write ~0 for "~" and ~1 for "/"')
    return [PathStep(part.replace("~1", "/").replace("~0", "~"), "token") for part in text[1:].split("/")]


def steps(text: str) -> list[PathStep]:
    """The steps of a path of dots and brackets. Raises PathError."""
    at, end = _bounds(text)
    found: list[PathStep] = []
    while at < end:
        match = (_NEXT if found else _FIRST).match(text, at, end)
        if match is None:
            raise _syntax_error(text, at, end)
        found.append(_step(match))
        at = match.end()
    return found


def _bounds(text: str) -> tuple[int, int]:
    """Where the path itself begins and ends."""
    start, end = 0, len(text)
    if text.startswith("{"):
        if not text.endswith("}"):
            raise _unreadable(text, 0, 'the "{" is not closed; add "}" at the end, or remove it')
        start, end = 1, end - 1
    if text.startswith("$", start, end) and text[start + 1 : end][:1] in ("", ".", "["):
        start += 1
    return (end, end) if text[start:end] == "." else (start, end)


def _step(match: re.Match[str]) -> PathStep:
    form = match.lastgroup or ""
    if match["quote"] != '"':
        return PathStep(_BACKSLASH.sub(r"\1", match[form]), form)
    try:
        return PathStep(json.loads(f'"{match["quoted"]}"', strict=False), form)
    except json.JSONDecodeError as error:
        advice = "JSON strings have no such escape; write two backslashes for one"
        raise _unreadable(match.string, match.start("quote") + error.pos, advice) from None


def _syntax_error(text: str, at: int, end: int) -> PathError:
    """The error at a position without a valid step."""
    if text[at] == "." and text[at + 1 : end][:1] in ("[", "]", "\\"):
        at += 1
    sign = text[at]
    return _unreadable(text, at, _open_bracket(text[at:end]) if sign == "[" else _SIGNS.get(sign, _NO_SIGN))


def _open_bracket(rest: str) -> str:
    if rest.startswith("[]"):
        return "the brackets are empty; write a key or an index"
    if _CLOSED.match(rest):
        return 'no "]" follows the closing quote; write it, and a backslash before a quote inside'
    quote = rest[1:2] if rest[1:2] in ('"', "'") else ""
    return f'this "[" is not closed; write {quote}] after the key'


def _unreadable(text: str, at: int, message: str) -> PathError:
    return PathError(f"column {at + 1} of {quote(text)}: {message}")
