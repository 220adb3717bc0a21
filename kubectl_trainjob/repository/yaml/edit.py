"""The text of a file with some values changed: as few characters as possible, to keep comments and layout.

In: a text, and changes of the data of its documents. Out: the new text, or an error: an edit is only made if the new
text, read again, has exactly the old data with the changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Pointer, SourceFile, same
from kubectl_trainjob.repository.yaml import edit_lines
from kubectl_trainjob.repository.yaml.compose import YAMLError
from kubectl_trainjob.repository.yaml.edit_data import (
    REMOVE,
    DataChange,
    EditError,
    change_data,
    in_order,
    independent,
    small,
)
from kubectl_trainjob.repository.yaml.edit_lines import Splice, flow, flow_entry, respell, splice
from kubectl_trainjob.repository.yaml.edit_parts import PartEntry, TextPart, compose, way
from kubectl_trainjob.repository.yaml.read import Reader
from kubectl_trainjob.repository.yaml.stream import Piece, pieces, whole_surrogates_hidden

__all__ = ["REMOVE", "DataChange", "EditError", "EditedText", "open_text"]

_UNPROVEN = "the text cannot be changed safely; edit by hand"


@dataclass(frozen=True, slots=True, eq=False)
class EditedText:
    """The text of a file, and its changed documents: by number their changes and new texts."""

    pieces: tuple[Piece, ...]
    original: str
    _changed: Mapping[int, tuple[tuple[DataChange, ...], str]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The whole new text."""
        changed = [(self.pieces[number], text) for number, (_, text) in self._changed.items()]
        return splice(self.original, [Splice(each.start, each.start + len(each.text), new) for each, new in changed])

    def value(self, document: int) -> Any:
        """The data of a document before any change, None for no data."""
        return _read(self.pieces[document].text)[0] if document < len(self.pieces) else None

    def with_changes(self, document: int, changes: Iterable[DataChange]) -> EditedText:
        """The text with more changes; their pointers are those of the document before any change.

        Raises EditError, with a message for users.
        """
        if document >= len(self.pieces):
            raise EditError("the document does not exist; edit by hand")
        before, _ = self._changed.get(document, ((), ""))
        done = (*before, *changes)
        text = _changed_text(self.pieces[document], done)
        return EditedText(self.pieces, self.original, {**self._changed, document: (done, text)})


def open_text(text: str) -> EditedText:
    """A file's text, unchanged. Raises EditError where it cannot be edited at all."""
    return EditedText(tuple(pieces(text)), text)


def _changed_text(piece: Piece, changes: tuple[DataChange, ...]) -> str:
    """The text of a document with changes, proven."""
    old, rules = _read(piece.text)
    value = expected = old
    every: list[DataChange] = []
    of_expected, of_value = dict[int, Any](), dict[int, Any]()
    for change in in_order([*changes]):
        expected = change_data(expected, change, of_expected)
        for each in [*small(value, change)]:
            every.append(each)
            value = change_data(value, each, of_value)

    text = piece.text
    for together in independent(every):
        text = _step(text, together, piece.is_json)
    found, new_rules = _read(text)
    if not same(found, expected) or new_rules - rules or not _has_same_pieces(piece, text):
        raise EditError(_UNPROVEN)
    return text


def _has_same_pieces(piece: Piece, new: str) -> bool:
    """Whether the file has the same documents in a row with the new text of one of them."""
    if piece.is_json:
        return [each.text for each in pieces(new) if each.is_json] == [new]
    before, after = (len(pieces(f"---\n{text}")) for text in (piece.text, new))
    return before == after and (new.endswith("\n") or not piece.text.endswith("\n"))


def _read(text: str) -> tuple[Any, Counter[str]]:
    """The data of a document, and the rules that it violates; raises EditError if it cannot be read."""
    found, diagnostics = Reader(LIMITS).read_values(SourceFile("", text))
    if len(found) != 1:
        raise EditError("the document cannot be read; edit by hand")
    return found[0][0], Counter(each.rule.id for each in diagnostics)


def _step(text: str, changes: list[DataChange], is_json: bool) -> str:
    """The text with the changes of a round, not proven yet."""
    groups: dict[Pointer, list[DataChange]] = {}
    for each in changes:
        groups.setdefault(each.pointer[:-1], []).append(each)
    try:
        root = compose(whole_surrogates_hidden(text) if is_json else text)
        found = [_splices(text, root, each, is_json) if root else [] for each in groups.values()]
        splices = sorted((each for part in found for each in part), key=lambda splice: splice.start)
        new = splice(text, splices)
    except (YAMLError, ValueError, TypeError, OverflowError):
        raise EditError(_UNPROVEN) from None
    if not all(found) or new == text or any(one.end > other.start for one, other in pairwise(splices)):
        raise EditError(_UNPROVEN)
    return new


def _splices(text: str, root: TextPart, changes: list[DataChange], is_json: bool) -> list[Splice]:
    """The changes of one collection; nothing where one of them cannot be made."""
    pointer = changes[0].pointer
    if not pointer:
        raise EditError("the whole document would be replaced; edit by hand")
    above = way(root, pointer[:-1])
    part = root if not above else above[-1][1].value
    removed = [each for each in changes if each.value is REMOVE]
    if above is None or any(part.entry(each.pointer[-1]) is None for each in removed):
        raise EditError("the value to remove is from another place; edit by hand" if removed else _UNPROVEN)
    if part.is_flow and _becomes_block(above, part, changes[0].value, is_json):
        parent, holder = above[-1]
        pairs = [(each.pointer[-1], each.value) for each in changes]
        below = dict(pairs) if isinstance(pointer[-1], str) else [value for _, value in pairs]
        return edit_lines.replace_value(text, parent, holder, below)
    if len(changes) == len(removed) == len(part.entries) and not part.is_flow:
        if not above:
            raise EditError("the document would be empty; edit by hand")
        return edit_lines.remove_all(text, *above[-1])
    return _flow_changed(text, part, changes, is_json) if part.is_flow else _block_changed(text, part, changes)


def _becomes_block(above: list[Any], part: TextPart, value: Any, is_json: bool) -> bool:
    """Whether an empty `{}` or `[]` is written in block style: it gets more than a single word."""
    is_empty_in_block = not part.entries and not is_json and bool(above) and not above[-1][0].is_flow
    return is_empty_in_block and isinstance(value, (dict, list)) and bool(value)


def _block_changed(text: str, part: TextPart, changes: list[DataChange]) -> list[Splice]:
    """Changes of a collection in block style, which keeps some of its entries or gets others."""
    found: list[Splice] = []
    removed: list[PartEntry] = []
    for (*_, step), value in changes:
        entry = part.entry(step)
        if value is REMOVE and entry is not None:
            removed.append(entry)
            continue
        if entry is not None:
            made = edit_lines.replace_value(text, part, entry, value)
        else:
            made = edit_lines.insert_value(text, part, step, value) if part.is_block else []
        if not made:
            return []
        found += made
    return [*found, *edit_lines.remove_entries(text, part, removed)]


def _flow_changed(text: str, part: TextPart, changes: list[DataChange], is_json: bool) -> list[Splice]:
    """Changes of a collection in flow style; it is written again if it gets or loses entries."""
    replaced: dict[int, list[Splice]] = {}
    removed: set[int] = set()
    new: list[str] = []
    as_json = is_json or (bool(part.entries) and text[part.entries[-1].start] == '"')
    for (*_, step), value in changes:
        entry = part.entry(step)
        if entry is None:
            new.append(flow_entry(step, value, as_json=as_json))
        elif value is REMOVE:
            removed.add(entry.start)
        else:
            replaced[entry.start] = _flow_replaced(text, entry, value, is_json)
    if not new and not removed:
        return [each for splices in replaced.values() for each in splices]
    kept = (each for each in part.entries if each.start not in removed)
    return _flow_rewritten(text, part, [*(_source(text, each, replaced.get(each.start, [])) for each in kept), *new])


def _source(text: str, entry: PartEntry, splices: list[Splice]) -> str:
    """The text of an entry in flow style with another value."""
    moved = [Splice(start - entry.start, end - entry.start, new) for start, end, new in splices]
    return splice(text[entry.start : _end(entry)], moved)


def _flow_replaced(text: str, entry: PartEntry, value: Any, is_json: bool) -> list[Splice]:
    """Another value for an entry in flow style."""
    old, new = entry.value, flow(value, as_json=is_json)
    if old.content == old.end:
        at, colon = (entry.key_end, ":") if entry.head < 0 else (entry.head, "")
        return [Splice(at, at, f"{colon} {new}")]
    if not is_json and old.kind == "scalar":
        new = respell(value, text[old.content : old.end], new)
    return [Splice(old.content, old.end, new)]


def _end(entry: PartEntry) -> int:
    return max(entry.key_end, entry.head, entry.value.end)


def _flow_rewritten(text: str, part: TextPart, sources: list[str]) -> list[Splice]:
    """A collection in flow style with other entries: a line each where the first one begins a line, else on one line.

    Nothing where a comment between the entries would be lost.
    """
    ends = [part.content + 1, *map(_end, part.entries)]
    starts = [*(each.start for each in part.entries), part.end - 1]
    gaps = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    if any("#" in gap for gap in gaps):
        return []
    before, behind = (gaps[0], gaps[-1].replace(",", "")) if sources and part.entries else ("", "")
    separator = f",{before}" if "\n" in before else ", "
    return [Splice(part.content + 1, part.end - 1, before + separator.join(sources) + behind)]
