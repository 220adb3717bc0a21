"""The text of a file with whole objects replaced by others; the rest of the text stays as it is.

Comments of a replaced document stay: those before it at its head, those inside it below them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Pointer, Source, SourceFile, value_at
from kubectl_trainjob.repository.yaml.edit import REMOVE, DataChange, EditedText, EditError, open_text
from kubectl_trainjob.repository.yaml.edit_data import change_data
from kubectl_trainjob.repository.yaml.edit_lines import Splice, splice
from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter, atom
from kubectl_trainjob.repository.yaml.read import Reader
from kubectl_trainjob.repository.yaml.stream import Piece, pieces

Body = Mapping[str, Any]
_COMMENT = re.compile(r"^[ \t]*#[^\n]*$|(?<=[ \t])#[^\n]*$", re.MULTILINE)
_HEAD = re.compile(r"(?:---[^\n]*\n|[ \t]*(?:#[^\n]*)?\r?\n)*")
_LONG_LIST, _WIDTH = 16, 100
_MOST_CHECKED = 200  # comments of a document, if some are only texts that look like one


class _ShortEmitter(Emitter):
    """Writes long lists of numbers in flow style, such as the exit codes 1 to 127."""

    def _sequence(self, items: Sequence[Any], indent: str, lines: list[str]) -> None:
        if len(items) < _LONG_LIST or any(type(item) is not int for item in items):
            super()._sequence(items, indent, lines)
            return
        text, start = ", ".join(map(atom, items)), f"{lines[-1]} ["
        lines[-1:] = wrap(
            text,
            _WIDTH,
            initial_indent=start,
            subsequent_indent=indent + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines[-1] += "]"


class ReplacedObject(NamedTuple):
    """The objects in place of the one at `source`. With `is_edit`, it is the same object with some changes."""

    source: Source
    bodies: Sequence[Body]
    is_edit: bool = False


def replace_objects(text: str, changes: Sequence[ReplacedObject]) -> str:
    """The text of a file with changed objects."""
    of_documents: dict[int, list[ReplacedObject]] = {}
    for each in changes:
        of_documents.setdefault(each.source.document, []).append(each)
    whole: dict[int, Sequence[Body]] = {}
    edited = open_text(text)
    documents = set()
    for document, found in of_documents.items():
        try:
            edited = edited.with_changes(document, _changes(found, edited.value(document)))
            documents.add(document)
        except EditError:
            whole[document] = _bodies(found, edited, document)
    return _with_comments(text, _with_documents(edited.text, whole), documents - whole.keys())


def _with_comments(old: str, new: str, documents: Collection[int]) -> str:
    """The new text with the comments that changes of documents removed: at the heads of these documents."""
    if "#" not in old or not documents:
        return new
    before, splices = pieces(old), []
    for piece in pieces(new):
        if piece.number in documents and not piece.is_json:
            kept = Counter(_comments(piece.text))
            lost = list((Counter(_comments(before[piece.number].text)) - kept).elements())
            head = _HEAD.match(piece.text)
            at = piece.start + (len(head[0]) if head else 0)
            end = "\r\n" if "\r\n" in piece.text else "\n"
            splices.append(Splice(at, at, "".join(f"{comment}{end}" for comment in lost)))
    return splice(new, splices)


def _changes(found: Sequence[ReplacedObject], value: Any) -> list[DataChange]:
    """The changes of a document. Raises EditError for one that is replaced as a whole."""
    if found[0].source.prefix:
        return _item_changes(found, value)
    (change,) = found
    if not change.is_edit:
        raise EditError("the document is replaced")
    (body,) = change.bodies
    kept = [DataChange((key,), body[key]) for key in body if key not in value or body[key] is not value[key]]
    return [*kept, *(DataChange((key,), REMOVE) for key in value if key not in body)]


def _item_changes(found: Sequence[ReplacedObject], value: Any) -> list[DataChange]:
    """The changes of the items of Lists: what an object needs is in its place, and it is a later item."""
    counts: dict[Pointer, int] = {}
    changes = []
    for each in found:
        prefix, (first, *later) = each.source.prefix, each.bodies
        above = prefix[:-1]
        changes.append(DataChange(prefix, first))
        for body in later:
            index = counts.setdefault(above, len(value_at(value, above)))
            counts[above] = index + 1
            changes.append(DataChange((*above, index), body))
    return changes


def _bodies(found: Sequence[ReplacedObject], edited: EditedText, document: int) -> Sequence[Body]:
    """The objects in place of a document: those of its one object, or the List with other items."""
    if not found[0].source.prefix:
        return found[0].bodies
    value = edited.value(document)
    for change in _item_changes(found, value):
        value = change_data(value, change)
    return [value]


def _with_documents(text: str, whole: Mapping[int, Sequence[Body]]) -> str:
    """The text with other objects in place of whole documents, by their number."""
    if not whole:
        return text
    emitter = _ShortEmitter(lead=LEAD)
    documents = pieces(text)
    splices = [
        Splice(piece.start, piece.start + len(piece.text), _replacement(piece, whole[piece.number], emitter))
        for piece in documents
        if piece.number in whole
    ]
    return splice(text, splices)


def _replacement(piece: Piece, bodies: Sequence[Body], emitter: Emitter) -> str:
    if piece.is_json:
        from kubectl_trainjob.repository.output.render import write_json

        body = bodies[0] if len(bodies) == 1 else {"apiVersion": "v1", "kind": "List", "items": list(bodies)}
        return write_json(body, "", body)
    head = _HEAD.match(piece.text)
    start = head[0] if head else ""
    comments = "".join(f"{comment}\n" for comment in _comments(piece.text[len(start) :]))
    texts = "---\n".join(emitter.document(body) for body in bodies)
    new = f"{start}{comments}{texts}"
    if "\r\n" in piece.text:
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    return new if piece.text.endswith("\n") or not piece.text.strip() else new.removesuffix("\n")


def _comments(text: str) -> Iterator[str]:
    """The comments inside a document: what can be removed without a change of the data."""
    found = list(_COMMENT.finditer(text))
    if not found:
        return
    data = _data(text)
    if _data(_without(text, found)) == data:
        yield from (match[0].strip() for match in found)
        return
    for match in found[:_MOST_CHECKED]:
        if _data(_without(text, [match])) == data:
            yield match[0].strip()


def _without(text: str, matches: Iterable[re.Match[str]]) -> str:
    return splice(text, [Splice(match.start(), match.end(), "") for match in matches])


def _data(text: str) -> list[Any]:
    return [value for value, _ in Reader(LIMITS).read_values(SourceFile("", text))[0]]
