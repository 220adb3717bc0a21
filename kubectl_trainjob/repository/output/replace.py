"""The text of a file with whole objects replaced by others; the rest of the text stays as it is.

Comments of a replaced document stay: those before it at its head, those inside it below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.yaml.edit import DataChange, opened
from kubectl_trainjob.repository.yaml.edit_lines import Splice, spliced
from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter
from kubectl_trainjob.repository.yaml.read import Reader
from kubectl_trainjob.repository.yaml.stream import Piece, pieces

Body = Mapping[str, Any]
_COMMENT = re.compile(r"^[ \t]*#[^\n]*$|(?<=[ \t])#[^\n]*$", re.MULTILINE)
_HEAD = re.compile(r"(?:---[^\n]*\n|[ \t]*(?:#[^\n]*)?\r?\n)*")
_MOST_COMMENTS = 200  # of a document


def with_documents(text: str, replaced: Mapping[int, Sequence[Body]]) -> str:
    """The text with other objects in place of whole documents, by their number. Raises EditError."""
    emitter = Emitter(lead=LEAD)
    documents = pieces(text)
    splices = [
        Splice(piece.start, piece.start + len(piece.text), _replacement(piece, replaced[piece.number], emitter))
        for piece in documents
        if piece.number in replaced
    ]
    return spliced(text, splices)


def with_items(text: str, document: int, replaced: Mapping[int, Sequence[Body]]) -> str:
    """The text with other objects in place of items of a List; more than one go to its end. Raises EditError."""
    edited = opened(text)
    count = len(edited.value(document)["items"])
    changes = []
    for index, bodies in sorted(replaced.items()):
        *others, last = bodies
        changes.append(DataChange(("items", index), last))
        for body in others:
            changes.append(DataChange(("items", count), body))
            count += 1
    return edited.with_changes(document, changes).text


def _replacement(piece: Piece, bodies: Sequence[Body], emitter: Emitter) -> str:
    if piece.is_json:
        from kubectl_trainjob.repository.output.render import write_json

        return "\n".join(write_json(body, "", body) for body in bodies)
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
    found = list(_COMMENT.finditer(text))[:_MOST_COMMENTS]
    if not found:
        return
    data = _data(text)
    if _data(_without(text, found)) == data:
        yield from (match[0].strip() for match in found)
        return
    for match in found:
        if _data(_without(text, [match])) == data:
            yield match[0].strip()


def _without(text: str, matches: Iterable[re.Match[str]]) -> str:
    return spliced(text, [Splice(match.start(), match.end(), "") for match in matches])


def _data(text: str) -> list[Any]:
    return [value for value, _ in Reader(LIMITS).read_values(SourceFile("", text))[0]]
