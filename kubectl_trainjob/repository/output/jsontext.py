"""Plain data to JSON text as kubectl lays it out, safe to show: characters that nobody sees are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kubectl_trainjob.repository.yaml.emit import atom
from kubectl_trainjob.repository.yaml.quoting import UNSEEN

_STEP = " " * 4
_ESCAPED = re.compile(rf'["\\\t\n{UNSEEN}]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_json(body: Mapping[str, Any], indent: str, keys: Iterable[str]) -> str:
    """An object whose closing bracket stands behind `indent`; `keys` is the order of its own fields, those below sort.

    Raises TypeError for what is not plain data, ValueError for what JSON, an int64 or UTF-8 cannot hold.
    """
    inner = indent + _STEP
    entries = [f"{_string(key)}: {_value(body[key], inner)}" for key in keys]
    if not entries:
        return "{}"
    return "{\n" + inner + f",\n{inner}".join(entries) + f"\n{indent}" + "}"


def _value(value: Any, indent: str) -> str:
    kind = type(value)
    if kind is str:
        return _string(value)
    if kind is dict:
        return write_json(value, indent, sorted(value))
    if kind is list or kind is tuple:
        return _array(value, indent)
    return atom(value)


def _array(items: Sequence[Any], indent: str) -> str:
    if not items:
        return "[]"
    inner = indent + _STEP
    return "[\n" + inner + f",\n{inner}".join([_value(item, inner) for item in items]) + f"\n{indent}]"


def _string(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"a lone surrogate (U+{code:04X}) cannot be written")
    if code < 0x10000:
        return _ESCAPES.get(character) or f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
