"""Plain data, parsed fast: without marks and explanations. `strict` reads unusual files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from kubectl_trainjob.repository.yaml.compose import (
    COLLECTION,
    PLAIN,
    QUOTED,
    Backend,
    Node,
    SequenceNode,
    may_nest_deeply,
    roots,
)
from kubectl_trainjob.repository.yaml.scalars import NotFiniteError, Scalar, parse_json_number, plain
from kubectl_trainjob.repository.yaml.stream import skip_blanks

_CACHED = 65_536

_CONTENT_ON_SEPARATOR = re.compile(r"\n---(?![ \t]*(?:\r?\n|\Z)|[ \t]+#)")
_ESCAPE = re.compile(r"\\(?:/|0|x00|u0000|U00000000|u[dD][89a-fA-F])")
_ANCHOR = re.compile(r"&[0-9A-Za-z_-]")
_ALIAS = re.compile(r"\*[0-9A-Za-z_-]")
_BEFORE_TOKEN = frozenset(" \t\r\n[{,:?-")


class UnusualError(ValueError):
    """The document needs the strict parser."""


UNUSUAL = object()
"""The value of a document that needs the strict parser."""


def looks_unusual(text: str) -> bool:
    """Whether a text may have parts that `FastParser.documents` misreads.

    These are document ends, directives, content on separator lines, aliases, and escapes of NUL, surrogates and the
    slash. Line ends at which libyaml starts a document but kubectl does not are unusual, too.
    """
    return _has_unusual_lines(text) or ("\\" in text and _ESCAPE.search(text) is not None) or _has_aliases(text)


def _has_unusual_lines(text: str) -> bool:
    if text.startswith(("%", "...")) or "\n%" in text or "\n..." in text:
        return True
    if not text.isascii() and any(mark in text for mark in "\x85\u2028\u2029"):
        return True
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return True
    first = "\n" + text[: text.find("\n") + 1 or None]
    return _CONTENT_ON_SEPARATOR.search(first) is not None or _CONTENT_ON_SEPARATOR.search(text) is not None


def _has_aliases(text: str) -> bool:
    return "&" in text and "*" in text and _has_token(_ALIAS, text) and _has_token(_ANCHOR, text)


def _has_token(pattern: re.Pattern[str], text: str) -> bool:
    found = (match.start() for match in pattern.finditer(text))
    return any(at == 0 or text[at - 1] in _BEFORE_TOKEN for at in found)


class FastParser:
    """Builds plain data from nodes; remembers what scalars mean, and keeps one copy of each key."""

    def __init__(self, depth: int, backend: Backend) -> None:
        self._depth = depth
        self._backend = backend
        self._keys: dict[str, str] = {}
        self._scalars: dict[str, Scalar] = {}

    def documents(self, text: str) -> Iterator[Any]:
        """The documents of a text that is not unusual; UNUSUAL for one that `strict` must build.

        Raises what `compose.roots` raises, in the middle of the stream.
        """
        depth = self._depth if self._backend == "python" or may_nest_deeply(text) else None
        build = self._builder()
        for root in roots(text, depth, self._backend):
            try:
                yield build(root, 1)
            except ValueError:
                yield UNUSUAL

    def _builder(self) -> Callable[[Node, int], Any]:
        keys, scalars, limit = self._keys, self._scalars, self._depth
        new_key, new_scalar = self._new_key, self._new_scalar

        def build(node: Node, depth: int) -> Any:
            tag = node.tag
            if tag is PLAIN:
                text = node.value
                return scalars[text] if text in scalars else new_scalar(text)
            if tag is QUOTED:
                return node.value
            if tag is not COLLECTION or depth > limit:
                raise UnusualError
            below = depth + 1
            if node.__class__ is SequenceNode:
                return [build(item, below) for item in node.value]
            entries = {}
            for key, item in node.value:
                name = keys.get(key.value) if key.tag is PLAIN else None
                if name is None:
                    name = new_key(key)
                if item.tag is PLAIN and item.value in scalars:  # the commonest case, without a call
                    entries[name] = scalars[item.value]
                else:
                    entries[name] = build(item, below)
            if len(entries) != len(node.value):
                raise UnusualError  # a duplicate key
            return entries

        return build

    def _new_key(self, node: Node) -> str:
        text: str = node.value
        if node.tag is QUOTED:
            return self._keys.get(text, text)
        if node.tag is not PLAIN or text == "<<" or not isinstance(plain(text), str):
            raise UnusualError
        if len(self._keys) < _CACHED:
            self._keys[text] = text
        return text

    def _new_scalar(self, text: str) -> Scalar:
        value = plain(text)
        if len(self._scalars) < _CACHED:
            self._scalars[text] = value
        return value

    def json_documents(self, text: str, most: int) -> list[Any]:
        """At most `most` JSON objects in a row; raises ValueError or RecursionError where all is not plainly right."""
        decoder = json.JSONDecoder(
            object_pairs_hook=_entries,
            parse_float=parse_json_number,
            parse_int=parse_json_number,
            parse_constant=_no_constant,
        )
        found = []
        at = skip_blanks(text, 0)
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            _check_depth(value, self._depth)
            found.append(value)
            if len(found) > most:
                raise UnusualError
            at = skip_blanks(text, at)
        if "\\u" in text and _ESCAPE.search(text) is not None and not all(map(_is_clean, found)):
            raise UnusualError
        return found


def _entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise UnusualError
    return entries


def _no_constant(text: str) -> Any:
    raise NotFiniteError(text)


def _check_depth(value: Any, left: int) -> None:
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return
    if left == 0:
        raise UnusualError
    for item in value:
        if isinstance(item, (dict, list)):
            _check_depth(item, left - 1)


def _is_clean(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_clean(key) and _is_clean(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_clean, value))
    return not isinstance(value, str) or ("\0" not in value and re.search("[\ud800-\udfff]", value) is None)
