"""Changed values for readers: short ones side by side, long ones line by line; never cut where they differ.

Nothing here is safe for a terminal, Markdown or HTML yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.model.message import Data, Message, say
from kubectl_trainjob.model.secrets import MASK
from kubectl_trainjob.model.source import ABSENT
from kubectl_trainjob.repository.yaml.emit import Emitter
from kubectl_trainjob.repository.yaml.quoting import scalar
from kubectl_trainjob.review.diff.fields import Order

_WIDEST = 80  # characters of a mapping or list that is shown in one line
_LONGEST = 300  # characters of a text that are shown
_LEAD = 40  # of them before the first that differs
_CONTEXT = 3  # lines that are the same, around those that differ
_MOST_LINES = 400
_COMPARED = 1000  # lines of each side that are matched with each other


class DiffLine(NamedTuple):
    """A line of the old ("-") or new ("+") text, of both (" "), or a note about the lines ("…")."""

    sign: Literal[" ", "-", "+", "…"]
    text: str


class SideLines(NamedTuple):
    """The lines of a text, and whether the last one has a line end; None for other values."""

    lines: list[str]
    is_ended: bool | None = None


def pair(old: Any, new: Any) -> tuple[Message, Message]:
    """The old and the new value in one line each. Long texts are cut around the place where they begin to differ."""
    if old is ABSENT or new is ABSENT:
        return _side(old), _side(new)
    if isinstance(old, Order) or isinstance(new, Order):
        return say("order {}", _cut(", ".join(old))), say("order {}", _cut(", ".join(new)))
    before, after = _in_line(old), _in_line(new)
    if before == after:  # what differs is masked
        return say("{} (before)", _cut(before)), say("{} (after)", _cut(after))
    start = max(common_start(before, after) - _LEAD, 0)
    return _cut(before, start), _cut(after, start)


def _side(value: Any) -> Message:
    return say("not set") if value is ABSENT else _cut(_in_line(value))


def _cut(text: str, start: int = 0) -> Message:
    start = max(min(start, len(text) - _LONGEST), 0)
    more = len(text) - start - _LONGEST
    lead = say("{} characters, then ", start) if start else Message()
    rest = say(" and {} more characters", more) if more > 0 else Message()
    return say("{}{}{}", lead, Message(Data(text[start : start + _LONGEST])), rest)


def common_start(one: str, other: str) -> int:
    """How many characters both texts begin with."""
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    low, high = 0, most  # the first difference is after `low`, at most at `high`
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle)
    return low


def _in_line(value: Any) -> str:
    if value == MASK:  # it looks the same everywhere
        return MASK
    if isinstance(value, str):
        try:
            return scalar(value)
        except ValueError:  # a lone surrogate
            return json.dumps(value)
    return json.dumps(value, ensure_ascii=False)


def has_lines(old: Any, new: Any) -> bool:
    """Whether the values are better shown line by line than in one."""
    return any((isinstance(value, str) and "\n" in value) or _is_wide(value) for value in (old, new))


def _is_wide(value: Any) -> bool:
    return isinstance(value, dict | list) and len(_in_line(value)) > _WIDEST


def line_diff(old: Any, new: Any, most: int = _MOST_LINES) -> list[DiffLine]:
    """The lines that differ and those around them, at most `most`; mappings and lists as YAML, no value as no lines."""
    before, after = _lines(old), _lines(new)
    if before == after:
        return [DiffLine("…", "the values differ, but are not shown")]
    lines = list(_differing(before, after))
    if len(lines) > most:
        lines[most:] = [DiffLine("…", f"{len(lines) - most} more lines")]
    return lines


def _lines(value: Any) -> SideLines:
    if value is ABSENT or value == "":
        return SideLines([])
    if not isinstance(value, str):
        return SideLines(_as_yaml(value).removesuffix("\n").split("\n"))
    lines = value.split("\n")
    return SideLines(lines[:-1], is_ended=True) if lines[-1] == "" else SideLines(lines, is_ended=False)


def _as_yaml(value: Any) -> str:
    if not value or not isinstance(value, dict | list | tuple):
        return _in_line(value) + "\n"
    try:
        # A list is below its key without an indent.
        text = Emitter(sort_keys=True).document(value if isinstance(value, dict) else {"list": value})
    except (TypeError, ValueError):  # what no YAML reader accepts
        return json.dumps(value, indent=2) + "\n"
    return text if isinstance(value, dict) else text.partition("\n")[2]


def _differing(before: SideLines, after: SideLines) -> Iterator[DiffLine]:
    differ_at_end = {before.is_ended, after.is_ended} == {True, False}
    for tag, old_from, old_to, new_from, new_to in _operations(before.lines, after.lines):
        old, new = before.lines[old_from:old_to], after.lines[new_from:new_to]
        if tag == "equal":
            yield from _same(old, is_first=old_from == 0, is_last=old_to == len(before.lines) and not differ_at_end)
            continue
        starts = [max(common_start(*each) - _LEAD, 0) for each in zip(old, new, strict=False)]
        yield from (DiffLine("-", _cut_line(line, start)) for line, start in _with_starts(old, starts))
        yield from (DiffLine("+", _cut_line(line, start)) for line, start in _with_starts(new, starts))
    if differ_at_end:
        yield DiffLine("…", f"only the {'old' if before.is_ended else 'new'} text ends with a line feed")


def _with_starts(lines: Sequence[str], starts: Sequence[int]) -> Iterator[tuple[str, int]]:
    return zip(lines, [*starts, *[0] * (len(lines) - len(starts))], strict=False)


def _cut_line(line: str, start: int) -> str:
    if len(line) <= _LONGEST:
        return line
    start = min(start, len(line) - _LONGEST)
    return f"{'…' if start else ''}{line[start : start + _LONGEST]}{'…' if start + _LONGEST < len(line) else ''}"


def _same(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Iterator[DiffLine]:
    """Lines that both texts have: some after the last change, some before the next."""
    lead = 0 if is_first else _CONTEXT
    tail = 0 if is_last else _CONTEXT
    hidden = len(lines) - lead - tail
    if hidden <= 1:
        lead, tail, hidden = len(lines), 0, 0
    yield from (DiffLine(" ", _cut_line(line, 0)) for line in lines[:lead])
    if hidden:
        yield DiffLine("…", f"{hidden} lines are the same")
    yield from (DiffLine(" ", _cut_line(line, 0)) for line in lines[len(lines) - tail :])


_Operation = tuple[str, int, int, int, int]


def _operations(old: list[str], new: list[str]) -> list[_Operation]:
    """What difflib says; texts with too many lines for it differ as a whole between their common ends."""
    most = min(len(old), len(new))
    start = next((i for i in range(most) if old[i] != new[i]), most)
    end = next((i for i in range(most - start) if old[-1 - i] != new[-1 - i]), most - start)
    inner, other = old[start : len(old) - end], new[start : len(new) - end]
    middle: list[_Operation] = [("replace", 0, len(inner), 0, len(other))]
    if max(len(inner), len(other)) <= _COMPARED:
        middle = list(SequenceMatcher(None, inner, other).get_opcodes())  # with all of many equal lines it is cubic
    shifted = [(tag, a + start, b + start, c + start, d + start) for tag, a, b, c, d in middle]
    first, last = ("equal", 0, start, 0, start), ("equal", len(old) - end, len(old), len(new) - end, len(new))
    return [each for each in (first, *shifted, last) if each[1] < each[2] or each[3] < each[4]]
