"""Edits of values in flow style (braces and brackets, JSON among them); what stands on lines of its own keeps them."""

from __future__ import annotations

import re
from typing import Any

from kubectl_trainjob.repository.yaml.edit_lines import Splice, eol, line_end, line_start
from kubectl_trainjob.repository.yaml.edit_parts import Entry, Part, between
from kubectl_trainjob.repository.yaml.edit_values import flow, flow_entry, respelled

_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
_COMMENT = re.compile(r"[ \t]#")


def replaced(text: str, entry: Entry, value: Any, *, as_json: bool) -> list[Splice]:
    """Another value for an entry."""
    old = entry.value
    new = flow(value, as_json=as_json)
    if old.content < old.end:
        if not as_json and old.kind == "scalar":
            new = respelled(value, text[old.content : old.end], new)
        return [Splice(old.content, old.end, new)]
    if entry.head < 0:
        return [Splice(entry.key_end, entry.key_end, f": {new}")]
    return [Splice(entry.head, entry.head, f" {new}")]


def inserted(text: str, part: Part, key: str | int, value: Any, *, as_json: bool) -> list[Splice]:
    """One more entry behind the last one."""
    if not part.entries:
        new = flow_entry(key, value, as_json=as_json)
        is_blank = not text[part.content + 1 : part.end - 1].strip()
        return [Splice(part.content + 1, part.end - 1 if is_blank else part.content + 1, new)]
    last = part.entries[-1]
    new = flow_entry(key, value, as_json=as_json or text[last.start] == '"')
    end, comma = _end(last), _comma(text, last)
    stop = line_end(text, end if comma is None else comma)
    start = line_start(text, last.start)
    if text[start : last.start].strip() or stop >= part.end:
        return [Splice(end, end, f", {new}")]
    line = eol(text) + text[start : last.start] + new
    if comma is not None:
        return [Splice(stop, stop, line + ",")]
    return [Splice(end, end, ","), Splice(stop, stop, line)]


def removed(text: str, part: Part, index: int) -> list[Splice]:
    """An entry less, with the comma that separated it."""
    entry = part.entries[index]
    comma = _comma(text, entry)
    stop = _end(entry) if comma is None else comma
    start = line_start(text, entry.start)
    rest = _REST_OF_LINE.match(text, stop)
    before = [] if comma is not None or index == 0 else _without_comma(text, part.entries[index - 1])
    if not text[start : entry.start].strip() and rest is not None:
        return [*before, Splice(start, rest.end(), "")]
    if comma is None:
        previous = _end(part.entries[index - 1]) if index else entry.start
        if _COMMENT.search(text, previous, entry.start):
            return [*before, Splice(entry.start, stop, "")]
        return [Splice(previous, stop, "")]
    following = between(text, comma)
    if _COMMENT.search(text, comma, following) or index + 1 == len(part.entries):
        return [Splice(entry.start, comma, "")]
    return [Splice(entry.start, following, "")]


def _without_comma(text: str, entry: Entry) -> list[Splice]:
    comma = _comma(text, entry)
    return [] if comma is None else [Splice(comma - 1, comma, "")]


def _end(entry: Entry) -> int:
    return max(entry.key_end, entry.head, entry.value.end)


def _comma(text: str, entry: Entry) -> int | None:
    """The offset behind the comma that follows an entry."""
    at = between(text, _end(entry))
    return at + 1 if text.startswith(",", at) else None
