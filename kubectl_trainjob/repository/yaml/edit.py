"""A file's text with some values changed: as few characters as possible, so that comments and layout stay.

In: a text, and changes of its documents' data. Out: the new text, or a refusal: an edit is made only where the new
text, read again, holds exactly the old data with the changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.yaml import edit_lines
from kubectl_trainjob.repository.yaml.compose import YAMLError
from kubectl_trainjob.repository.yaml.edit_data import REMOVE, Change, RefusedError, changed, in_order, same, small
from kubectl_trainjob.repository.yaml.edit_lines import Splice, spliced
from kubectl_trainjob.repository.yaml.edit_parts import Entry, Part, composed, way
from kubectl_trainjob.repository.yaml.edit_values import flow, flow_entry, respelled
from kubectl_trainjob.repository.yaml.read import Reader
from kubectl_trainjob.repository.yaml.stream import Piece, TooManyError, pieces, whole_surrogates_hidden

__all__ = ["REMOVE", "Change", "EditedText", "RefusedError", "edited", "opened", "same"]

_UNPROVEN = "the text is written so that it cannot be changed safely; edit by hand"
_ALL = 1 << 62  # documents


@dataclass(frozen=True, slots=True)
class _Document:
    """One document's text, the data that it holds, and the changes that made it; `rules` is what is wrong with it."""

    text: str
    value: Any
    rules: Counter[str]
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class EditedText:
    """A file's text, and the documents that were changed in it."""

    pieces: tuple[Piece, ...]
    original: str
    _changed: Mapping[int, _Document] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The whole new text."""
        new = ((piece, self._changed.get(piece.number)) for piece in self.pieces)
        ends = [Splice(piece.start, piece.start + len(piece.text), done.text) for piece, done in new if done]
        return spliced(self.original, ends)

    def value(self, document: int) -> Any:
        """The data of a document before any change, None where it has none."""
        return _read(self.pieces[document].text)[0] if document < len(self.pieces) else None

    def with_changes(self, document: int, changes: Iterable[Change]) -> EditedText:
        """The text with more changes; their pointers lead into the document as it was before any change.

        Raises RefusedError, with a message for people.
        """
        if document >= len(self.pieces):
            raise RefusedError("the document is not there")
        piece, before = self.pieces[document], self._changed.get(document)
        done = (*(before.changes if before else ()), *changes)
        return EditedText(self.pieces, self.original, {**self._changed, document: _document(piece, done)})


def opened(text: str) -> EditedText:
    """A file's text, unchanged. Raises RefusedError where it cannot be edited at all."""
    return EditedText(tuple(_pieces(text)), text)


def edited(text: str, document: int, changes: Iterable[Change]) -> str:
    """A text with changes of one document. Raises RefusedError."""
    return opened(text).with_changes(document, changes).text


def _pieces(text: str) -> list[Piece]:
    try:
        return pieces(text, _ALL)
    except TooManyError:
        raise RefusedError(_UNPROVEN) from None


def _document(piece: Piece, changes: tuple[Change, ...]) -> _Document:
    """A document with changes, proven."""
    old, rules = _read(piece.text)
    value, text, expected = old, piece.text, old
    for change in in_order([*changes]):
        expected = changed(expected, change)
        for each in [*small(value, change)]:
            text = _step(text, value, each, piece.is_json)
            value = changed(value, each)
    found, wrong = _read(text)
    if not same(found, expected) or wrong - rules or not _is_cut_alike(piece, text):
        raise RefusedError(_UNPROVEN)
    return _Document(text, value, rules, changes)


def _is_cut_alike(piece: Piece, new: str) -> bool:
    """Whether the file still has the same documents in a row with the new text of one of them."""
    if piece.is_json:
        return [each.text for each in _pieces(new) if each.is_json] == [new]
    before, after = (len(_pieces(f"---\n{text}")) for text in (piece.text, new))
    return before == after and (new.endswith("\n") or not piece.text.endswith("\n"))


def _read(text: str) -> tuple[Any, Counter[str]]:
    """What a document holds, and the rules that it violates; raises RefusedError where it cannot be read."""
    found, diagnostics = Reader(LIMITS).read_values(SourceFile("", text))
    if len(found) != 1:
        raise RefusedError("the document cannot be read")
    return found[0][0], Counter(each.rule.id for each in diagnostics)


def _step(text: str, value: Any, change: Change, is_json: bool) -> str:
    """The text with one change of one entry, not proven yet."""
    try:
        root = composed(whole_surrogates_hidden(text) if is_json else text)
        splices = _splices(text, root, value, change, is_json) if root else []
        new = spliced(text, splices)
    except (YAMLError, ValueError, TypeError, OverflowError):
        raise RefusedError(_UNPROVEN) from None
    if not splices or new == text:
        raise RefusedError(_UNPROVEN)
    return new


def _splices(text: str, root: Part, value: Any, change: Change, is_json: bool) -> list[Splice]:
    *_, step = change.pointer or (None,)
    if step is None:
        raise RefusedError("the whole document would be replaced; edit by hand")
    above = way(root, change.pointer[:-1])
    if above is None:
        raise RefusedError(_UNPROVEN)
    part = above[-1][1].value if above else root
    entry = part.entry(step)
    if change.value is REMOVE:
        return _removed(text, root, value, change, is_json)
    if entry is not None and part.is_flow:
        return _flow_replaced(text, entry, change.value, is_json)
    if entry is not None:
        return edit_lines.replaced(text, part, entry, change.value)
    if part.is_flow and _becomes_block(above, part, change.value, is_json):
        parent, holder = above[-1]
        below = {step: change.value} if isinstance(step, str) else [change.value]
        return edit_lines.replaced(text, parent, holder, below)
    if part.is_flow:
        return _flow_inserted(text, part, step, change.value, is_json)
    return edit_lines.inserted(text, part, step, change.value) if part.is_block else []


def _becomes_block(above: list[Any], part: Part, value: Any, is_json: bool) -> bool:
    """Whether an empty `{}` or `[]` had better be written in block style: what it gets is no single word."""
    is_empty_in_block = not part.entries and not is_json and bool(above) and not above[-1][0].is_flow
    return is_empty_in_block and isinstance(value, (dict, list)) and bool(value)


def _removed(text: str, root: Part, value: Any, change: Change, is_json: bool) -> list[Splice]:
    found = way(root, change.pointer)
    if found is None:
        raise RefusedError("what is to be removed comes from another place; edit by hand")
    part, entry = found[-1]
    if part.is_flow:
        return _flow_rewritten(text, part, [each for each in part.entries if each is not entry])
    if len(part.entries) > 1:
        return edit_lines.removed(text, part, part.entries.index(entry))
    if len(found) == 1:
        raise RefusedError("nothing would be left of the document; edit by hand")
    empty: Any = [] if part.kind == "list" else {}
    return _splices(text, root, value, Change(change.pointer[:-1], empty), is_json)


def _flow_replaced(text: str, entry: Entry, value: Any, is_json: bool) -> list[Splice]:
    """Another value for an entry in flow style."""
    old, new = entry.value, flow(value, as_json=is_json)
    if old.content == old.end:
        at, colon = (entry.key_end, ":") if entry.head < 0 else (entry.head, "")
        return [Splice(at, at, f"{colon} {new}")]
    if not is_json and old.kind == "scalar":
        new = respelled(value, text[old.content : old.end], new)
    return [Splice(old.content, old.end, new)]


def _flow_inserted(text: str, part: Part, key: str | int, value: Any, is_json: bool) -> list[Splice]:
    """One more entry at the end of a collection in flow style, in the quotes of the last one."""
    as_json = is_json or (bool(part.entries) and text[part.entries[-1].start] == '"')
    new = flow_entry(key, value, as_json=as_json)
    return _flow_rewritten(text, part, part.entries, new)


def _end(entry: Entry) -> int:
    return max(entry.key_end, entry.head, entry.value.end)


def _flow_rewritten(text: str, part: Part, kept: list[Entry], *new: str) -> list[Splice]:
    """A collection in flow style with other entries: a line each where the first one begins a line, else on one line.

    Nothing where a comment between the entries would be lost.
    """
    ends = [part.content + 1, *map(_end, part.entries)]
    starts = [*(each.start for each in part.entries), part.end - 1]
    gaps = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    if any("#" in gap for gap in gaps):
        return []
    sources = [*(text[each.start : _end(each)] for each in kept), *new]
    before, behind = (gaps[0], gaps[-1].replace(",", "")) if sources and part.entries else ("", "")
    separator = f",{before}" if "\n" in before else ", "
    return [Splice(part.content + 1, part.end - 1, before + separator.join(sources) + behind)]
