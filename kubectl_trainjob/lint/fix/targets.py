"""The target of an edit: from an object that overlays edited back to the text that a user wrote.

An edit is made only if its effect is certain: the written value is the one of the finding, and only patches copied it.
All other edits are rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.model.diagnostic import Edit
from kubectl_trainjob.model.draft import INPUT
from kubectl_trainjob.model.edited_object import AppliedEdits
from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile, has, same, value_at, values
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.yaml.edit import EditError, open_text
from kubectl_trainjob.repository.yaml.spans import Spans

_STEPS = (INPUT, "overlay patch")  # these copy a value of one object only
_MISSING = object()


class EditTarget(NamedTuple):
    """`pointer` leads into a document of `text`, which is the file at `path` or the value at the `outer` target."""

    path: str
    text: str
    document: int
    pointer: Pointer
    outer: EditTarget | None = None

    @property
    def way(self) -> tuple[object, ...]:
        """The steps from the file to the entry."""
        inside = (self.path,) if self.outer is None else self.outer.way
        return (*inside, self.document, *self.pointer)


class EditTargets:
    """Finds the targets of the edits of one run; reads each document once."""

    def __init__(self) -> None:
        self._spans = Spans()
        self._data: dict[tuple[SourceFile, int], Any] = {}

    def target(self, edit: Edit) -> EditTarget:
        """The target of an edit. Raises EditError with the reason if the edit cannot be made."""
        place = edit.place
        if place.span is not None:
            raise EditError("the document cannot be read; edit by hand")
        while place.source.edits is not None:
            place = self._before(place, is_removal=edit.value is None)
        source, pointer = place.source, place.source.prefix + place.pointer
        if edit.value is None and self._is_operand(source, pointer):
            raise EditError("a patch operation writes the value; edit by hand")
        return self._in_file(source.file, source.document, pointer)

    def _in_file(self, file: SourceFile, document: int, pointer: Pointer) -> EditTarget:
        if file.written is None:
            _reject_read_only(file.path)
            return EditTarget(file.path, file.text, document, pointer)
        if file.written.values is not None:
            raise EditError("a template generates the text; edit it by hand")
        for number, inside in self._strings(file.written.file, file.text):
            span = self._spans.span(Place(Source(file.written.file, number), inside))
            if span.line in (file.written.lines[0], file.written.lines[0] - 1):
                outer = self._in_file(file.written.file, number, inside)
                return EditTarget(file.path, file.text, document, pointer, outer)
        raise EditError("the text is inside another one; edit by hand")

    def _strings(self, file: SourceFile, text: str) -> Iterator[tuple[int, Pointer]]:
        """The places of a text as a value in the documents of a file."""
        for number in range(len(open_text(file.text).pieces)):
            found = values(self._value(Source(file, number)))
            yield from ((number, pointer) for pointer, value in found if isinstance(value, str) and value == text)

    def _before(self, place: Place, *, is_removal: bool) -> Place:
        """The place that the value was copied from, before the last overlay."""
        edits = place.source.edits
        if not isinstance(edits, AppliedEdits):
            raise EditError("it is unknown where the value was written; edit by hand")
        newest = edits.origin(place.pointer)
        origin = newest.placed() or newest
        if origin.place is None or origin.step not in _STEPS:
            raise EditError(f"an overlay sets the value ({origin.step}); edit by hand")
        if is_removal and origin.over is not None and not origin.over.removes:
            raise EditError("a patch replaces another value; edit by hand")
        if not same(self._at(origin.place), _value_or_none(edits.body, place.pointer)):
            raise EditError("several overlays write the value together; edit by hand")
        return origin.place

    def _at(self, place: Place) -> Any:
        """The value at a place, _MISSING where there is none."""
        edits = place.source.edits
        if edits is None:
            return _value_or_none(self._value(place.source), place.source.prefix + place.pointer)
        return _value_or_none(edits.body, place.pointer) if isinstance(edits, AppliedEdits) else _MISSING

    def _value(self, source: Source) -> Any:
        """The data of a whole document."""
        key = source.file, source.document
        if key not in self._data:
            self._data[key] = open_text(source.file.text).value(source.document)
        return self._data[key]

    def _is_operand(self, source: Source, pointer: Pointer) -> bool:
        """Whether it is the value of a JSON 6902 operation, which must have one."""
        parent = value_at(self._value(source), pointer[:-1])
        return isinstance(parent, dict) and pointer[-1:] == ("value",) and {"op", "path"} <= parent.keys()


def _reject_read_only(path: str) -> None:
    if path == "-":
        raise EditError("standard input cannot be changed; pass the file")
    if catalogue.holds(path):
        raise EditError("the runtime comes with kubectl-trainjob; copy it into the repository and edit the copy")


def _value_or_none(value: Any, pointer: Pointer) -> Any:
    return value_at(value, pointer) if not pointer or has(value, pointer) else _MISSING
