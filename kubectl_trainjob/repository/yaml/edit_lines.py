"""Edits of values in block style, as whole lines that keep comments next to the value; and new values as text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

from kubectl_trainjob.repository.yaml.edit_parts import PartEntry, TextPart
from kubectl_trainjob.repository.yaml.emit import Emitter, atom
from kubectl_trainjob.repository.yaml.quoting import UNSEEN, scalar

# In flow style commas and brackets end a plain text; colons and others are quoted to be on the safe side.
_PLAIN_IN_FLOW = re.compile(r"[A-Za-z0-9_./+-][A-Za-z0-9_./+=@%^~$ -]*")
_FIT_FOR_QUOTES = re.compile(f"[^\\t\\n{UNSEEN}]*")


class IndentedValue(NamedTuple):
    """A value after its key or dash: the rest of that line (with its blank), and the lines below."""

    first: str
    rest: list[str]


def value_lines(value: Any, column: int, *, in_list: bool) -> IndentedValue:
    """The value of a key or dash in `column`."""
    text = Emitter().document({"k": [value] if in_list else value})
    first, *rest = text[len("k:\n-" if in_list else "k:") : -1].split("\n")
    return IndentedValue(first, _indent(rest, column))


def entry_lines(key: str | int, value: Any, column: int) -> list[str]:
    """The lines of an entry or item whose key or dash is in `column`."""
    if isinstance(key, str):
        lines = Emitter().document({key: value})[:-1].split("\n")
    else:
        lines = Emitter().document({"k": [value]})[:-1].split("\n")[1:]
    return _indent(lines, column)


def _indent(lines: list[str], column: int) -> list[str]:
    return [" " * column + line if line else line for line in lines]


def respell(value: Any, old: str, new: str) -> str:
    """`new`, the text of a value, in the quotes of the `old` one, if they can quote it."""
    if not isinstance(value, str) or old[:1] not in ("'", '"') or not _FIT_FOR_QUOTES.fullmatch(value):
        return new
    if old[0] == "'":
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=False)


def flow(value: Any, *, as_json: bool) -> str:
    """A value on one line; as JSON, or without the quotes that YAML does not need."""
    if as_json:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if isinstance(value, str):
        plain = scalar(value)
        return plain if plain[:1] in ("'", '"') or _PLAIN_IN_FLOW.fullmatch(plain) else respell(value, "'", plain)
    if isinstance(value, dict) and value:
        return "{" + ", ".join(flow_entry(key, each, as_json=False) for key, each in value.items()) + "}"
    if isinstance(value, list) and value:
        return "[" + ", ".join(flow(each, as_json=False) for each in value) + "]"
    return atom(value)


def flow_entry(key: str | int, value: Any, *, as_json: bool) -> str:
    """A mapping's entry, or a list's item, in flow style."""
    text = flow(value, as_json=as_json)
    return f"{flow(key, as_json=as_json)}: {text}" if isinstance(key, str) else text


_HEADER_COMMENT = re.compile(r"[|>][-+0-9]*([ \t]+#[^\r\n]*)")
_LITERAL = re.compile(r"\|(-?)(?:[ \t]++#[^\r\n]*+)?+[ \t]*+\r?\n([ ]++)(?=[^ \r\n])")
_COMMENT_LINE = re.compile(r"([ \t]*)#[^\n]*(?:\n|\Z)")


class Splice(NamedTuple):
    """`new` instead of the text between two offsets."""

    start: int
    end: int
    new: str


def splice(text: str, splices: list[Splice]) -> str:
    """The text with splices that do not overlap; those at one offset stay in their order."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(splices, key=lambda splice: splice.start):
        parts += (text[at:start], new)
        at = end
    return "".join((*parts, text[at:]))


def replace_value(text: str, parent: TextPart, entry: PartEntry, value: Any) -> list[Splice]:
    """Another value for an entry of `parent`."""
    old = entry.value
    if literal := _literal_again(text, old, value):
        return literal
    new = value_lines(value, _column(text, entry.start), in_list=parent.kind == "list")
    if old.is_block and "\n" in text[entry.head : old.content]:
        return _instead_of_lines(text, entry, new)
    gap, first = text[entry.head : old.content], new.first
    if old.kind == "scalar" and old.content < old.end:
        first = " " + respell(value, text[old.content : old.end], first[1:]) if first else first
    if first and gap:
        first = gap + first[1:]
    elif "#" in gap:
        return []
    header = _HEADER_COMMENT.match(text, old.content) if old.kind == "scalar" else None
    splices = [Splice(entry.head, old.end, first + (header[1] if header else ""))]
    return [*splices, _rest(text, line_end(text, old.end), new)] if new.rest else splices


def _literal_again(text: str, old: TextPart, value: Any) -> list[Splice]:
    """Other lines of a literal block with the same indentation; nothing if its head would change."""
    header = _LITERAL.match(text, old.content) if old.kind == "scalar" else None
    if header is None or not isinstance(value, str) or value.endswith("\n") is (header[1] == "-"):
        return []
    if value[:1] in ("", " ", "\n") or old.end < header.end():
        return []
    lines = ["" if not line else header[2] + line for line in value.removesuffix("\n").split("\n")]
    return [Splice(header.start(2), old.end, eol(text).join(lines))]


def _instead_of_lines(text: str, entry: PartEntry, new: IndentedValue) -> list[Splice]:
    """The new value at the key, or below it in the lines of the old one; lines above these stay."""
    content = entry.value.content
    start, stop = line_start(text, content), _behind(text, entry.value.tail, _column(text, content))
    head = Splice(entry.head, entry.head, new.first)
    if not new.rest:
        return [head, Splice(start, stop, "")]
    return [head, Splice(start, stop, "".join(line + eol(text) for line in new.rest))]


def _rest(text: str, at: int, new: IndentedValue) -> Splice:
    return Splice(at, at, "".join(eol(text) + line for line in new.rest))


def insert_value(text: str, part: TextPart, key: str | int, value: Any) -> list[Splice]:
    """One more entry after the last one of a mapping or list."""
    last = part.entries[-1]
    column = _column(text, part.entries[0].start)
    lines = entry_lines(key, value, column)
    at = _behind(text, last.value.tail, column)
    if text[at - 1] == "\n":
        return [Splice(at, at, "".join(line + eol(text) for line in lines))]
    return [Splice(at, at, "".join(eol(text) + line for line in lines))]


def remove_entries(text: str, part: TextPart, removed: list[PartEntry]) -> list[Splice]:
    """The text without some entries; `part` keeps others, or gets one. Comments above them stay."""
    if not removed:
        return []
    starts, first = {each.start for each in removed}, part.entries[0]
    head = line_start(text, first.start)
    if first.start not in starts or not text[head : first.start].strip():
        return [_lines_of(text, each) for each in removed]
    leading = list(takewhile(lambda each: each.start in starts, part.entries))
    kept = part.entries[len(leading)].start if len(leading) < len(part.entries) else leading[-1].value.end
    stop = line_end(text, first.value.end)
    lines = [_lines_of(text, each) for each in removed if each.start != first.start]
    ends = [stop, *(_lines_of(text, each).end for each in leading[1:])]
    if any(
        "#" in text[end:start] for end, start in zip(ends, (*(each.start for each in leading[1:]), kept), strict=True)
    ):
        start = head + len(text[head : first.start].rstrip(" \t"))
        return [Splice(start, stop, ""), *lines]
    return [Splice(first.start, kept, ""), *(each for each in lines if each.start >= kept)]


def remove_all(text: str, parent: TextPart, entry: PartEntry) -> list[Splice]:
    """A collection in block style, the value of an entry of `parent`, without entries. Comments between them stay."""
    part = entry.value
    first, *others = part.entries
    only = replace(part, entries=[first], end=first.value.end, tail=first.value.tail)
    found = replace_value(text, parent, entry._replace(value=only), [] if part.kind == "list" else {})
    return found and [*found, *(_lines_of(text, each) for each in others)]


def _lines_of(text: str, entry: PartEntry) -> Splice:
    """Without the lines of an entry that begins its first line."""
    return Splice(line_start(text, entry.start), _behind(text, entry.value.tail, _column(text, entry.start)), "")


def _column(text: str, at: int) -> int:
    return at - line_start(text, at)


def line_start(text: str, at: int) -> int:
    """The offset at which the line of an offset begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """The offset of the line end that follows an offset."""
    found = text.find("\n", at)
    if found < 0:
        return len(text)
    return found - 1 if text[at:found].endswith("\r") else found


def _behind(text: str, tail: int, column: int) -> int:
    """The offset after the last line of a value and its comments, which are indented deeper than `column`."""
    at = tail if text[tail - 1] == "\n" else text.find("\n", tail) + 1 or len(text)
    while (comment := _COMMENT_LINE.match(text, at)) is not None and len(comment[1]) > column and at < len(text):
        at = comment.end()
    return at


def eol(text: str) -> str:
    """How lines of the text end."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
