"""New values as text: as lines of block style, or on one line in flow style, spelled as what they replace."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from kubectl_trainjob.repository.yaml.emit import Emitter, atom
from kubectl_trainjob.repository.yaml.quoting import UNSEEN, scalar

# In flow style commas and brackets end a plain text; colons and others are quoted to be on the safe side.
_PLAIN_IN_FLOW = re.compile(r"[A-Za-z0-9_./+-][A-Za-z0-9_./+=@%^~$ -]*")
_FIT_FOR_QUOTES = re.compile(f"[^\\t\\n{UNSEEN}]*")


class Indented(NamedTuple):
    """A value behind its key or dash: what stands on that line (with its blank), and the lines below."""

    first: str
    rest: list[str]


def value_lines(value: Any, column: int, *, in_list: bool) -> Indented:
    """The value of a key, or behind a dash, that stands in `column`."""
    text = Emitter().document({"k": [value] if in_list else value})
    first, *rest = text[len("k:\n-" if in_list else "k:") : -1].split("\n")
    return Indented(first, _indented(rest, column))


def entry_lines(key: str | int, value: Any, column: int) -> list[str]:
    """The lines of a mapping's entry, or of a list's item, whose key or dash stands in `column`."""
    if isinstance(key, str):
        lines = Emitter().document({key: value})[:-1].split("\n")
    else:
        lines = Emitter().document({"k": [value]})[:-1].split("\n")[1:]
    return _indented(lines, column)


def _indented(lines: list[str], column: int) -> list[str]:
    return [" " * column + line if line else line for line in lines]


def respelled(value: Any, old: str, new: str) -> str:
    """`new`, the text of a value, in the quotes of the `old` one, where it is text that can stand in them."""
    if not isinstance(value, str) or old[:1] not in ("'", '"') or not _FIT_FOR_QUOTES.fullmatch(value):
        return new
    if old[0] == "'":
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=False)


def flow(value: Any, *, as_json: bool) -> str:
    """A value on one line; as JSON, or with the quotes left out that YAML does not need."""
    if as_json:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if isinstance(value, str):
        plain = scalar(value)
        return plain if plain[:1] in ("'", '"') or _PLAIN_IN_FLOW.fullmatch(plain) else respelled(value, "'", plain)
    if isinstance(value, dict) and value:
        return "{" + ", ".join(flow_entry(key, each, as_json=False) for key, each in value.items()) + "}"
    if isinstance(value, list) and value:
        return "[" + ", ".join(flow(each, as_json=False) for each in value) + "]"
    return atom(value)


def flow_entry(key: str | int, value: Any, *, as_json: bool) -> str:
    """A mapping's entry, or a list's item, in flow style."""
    text = flow(value, as_json=as_json)
    return f"{flow(key, as_json=as_json)}: {text}" if isinstance(key, str) else text
