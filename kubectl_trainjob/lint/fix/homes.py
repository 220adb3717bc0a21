"""Where an edit is made: back from an object that overlays edited to the text that a person wrote.

An edit is followed only where its effect is certain: the value at the end of the way back is the one that the finding
is about, copied by nothing else than patches. All else is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.model.diagnostic import Edit
from kubectl_trainjob.model.draft import INPUT, Draft
from kubectl_trainjob.model.edited import OBJECT, Edited
from kubectl_trainjob.model.source import Origin, Place, Pointer, Source, SourceFile, has, value_at
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.yaml.edit import RefusedError, opened, same
from kubectl_trainjob.repository.yaml.spans import Spans

_STEPS = (INPUT, "overlay patch")  # what copies a value of one object alone
_MISSING = object()


class Home(NamedTuple):
    """`pointer` leads into a document of `text`, which is the file at `path` or, with an `outer` home, stands there."""

    path: str
    text: str
    document: int
    pointer: Pointer
    outer: Home | None = None

    @property
    def root(self) -> tuple[str, int]:
        """The file, and the document in it."""
        return self.outer.root if self.outer else (self.path, self.document)

    def overlaps(self, other: Home) -> bool:
        """Whether one of the two entries is or holds the other."""
        one, two = self._whole(), other._whole()
        shorter = min(len(one), len(two))
        return one[:shorter] == two[:shorter]

    def _whole(self) -> tuple[object, ...]:
        inside = (self.path,) if self.outer is None else self.outer._whole()
        return (*inside, self.document, *self.pointer)


class Homes:
    """Finds the homes of the edits of one run; keeps what it read and made."""

    def __init__(self) -> None:
        self._spans = Spans()
        self._data: dict[tuple[SourceFile, int], Any] = {}
        self._bodies: dict[int, tuple[Edited, Any]] = {}

    def home(self, edit: Edit) -> Home:
        """Where the edit is made. Raises RefusedError that says why it cannot be."""
        place = edit.place
        if place.span is not None:
            raise RefusedError("the document cannot be read; edit by hand")
        while place.source.edits is not None:
            place = self._before(place, is_removal=edit.value is None)
        source, pointer = place.source, place.source.prefix + place.pointer
        if edit.value is None and self._is_operand(source, pointer):
            raise RefusedError("a patch operation writes the value; edit by hand")
        return self._in_file(source.file, source.document, pointer)

    def _in_file(self, file: SourceFile, document: int, pointer: Pointer) -> Home:
        if file.written is None:
            _refuse_read_only(file.path)
            return Home(file.path, file.text, document, pointer)
        if file.written.values is not None:
            raise RefusedError("a template makes the text; edit it by hand")
        for number, inside in self._strings(file.written.file, file.text):
            span = self._spans.span(Place(Source(file.written.file, number), inside))
            if span.line in (file.written.lines[0], file.written.lines[0] - 1):
                return Home(file.path, file.text, document, pointer, self._in_file(file.written.file, number, inside))
        raise RefusedError("the text stands inside another one; edit by hand")

    def _strings(self, file: SourceFile, text: str) -> Iterator[tuple[int, Pointer]]:
        """Where a text stands as a value in the documents of a file."""
        for number in range(len(opened(file.text).pieces)):
            yield from ((number, pointer) for pointer in _equal(self._value(Source(file, number)), text, ()))

    def _before(self, place: Place, *, is_removal: bool) -> Place:
        """The place that the value was copied from, before the last overlay."""
        edits = place.source.edits
        if not isinstance(edits, Edited):
            raise RefusedError("it is not known where the value was written; edit by hand")
        origin = _written(edits.origin(place.pointer))
        if origin.place is None or origin.step not in _STEPS:
            raise RefusedError(f"the value is made by an overlay ({origin.step}); edit by hand")
        if is_removal and origin.over is not None and not origin.over.removes:
            raise RefusedError("a patch replaces another value by it; edit by hand")
        if not same(self._at(origin.place), _found(self._body(edits), place.pointer)):
            raise RefusedError("overlays put the value together; edit by hand")
        return origin.place

    def _at(self, place: Place) -> Any:
        """The value at a place, _MISSING where there is none."""
        edits = place.source.edits
        if edits is None:
            return _found(self._value(place.source), place.source.prefix + place.pointer)
        return _found(self._body(edits), place.pointer) if isinstance(edits, Edited) else _MISSING

    def _body(self, edits: Edited) -> Any:
        """An object as edited; made again as when it is recorded, so that nothing is counted twice."""
        if id(edits) not in self._bodies:
            draft = Draft(None, {OBJECT: edits.before.source, **edits.inputs}).step(INPUT)
            draft = draft.put((), edits.before.body, copied=(OBJECT,))
            for edit in edits.edits:
                draft = edit.write(draft.step(edit.step)) or draft
            self._bodies[id(edits)] = edits, draft.value
        return self._bodies[id(edits)][1]

    def _value(self, source: Source) -> Any:
        """The data of a whole document."""
        key = source.file, source.document
        if key not in self._data:
            self._data[key] = opened(source.file.text).value(source.document)
        return self._data[key]

    def _is_operand(self, source: Source, pointer: Pointer) -> bool:
        """Whether it is the value of a JSON 6902 operation, which must have one."""
        parent = value_at(self._value(source), pointer[:-1])
        return isinstance(parent, dict) and pointer[-1:] == ("value",) and {"op", "path"} <= parent.keys()


def _refuse_read_only(path: str) -> None:
    if path == "-":
        raise RefusedError("standard input cannot be changed; name the file")
    if catalogue.holds(path):
        raise RefusedError("the runtime comes with kubectl-trainjob; put a copy into the repository and edit that")


def _written(origin: Origin) -> Origin:
    """The newest write that says where it took the value from, as `Origin.first_place` finds it."""
    found: Origin | None = origin
    while found is not None and not (found.place or found.causes):
        found = found.over
    return found or origin


def _found(value: Any, pointer: Pointer) -> Any:
    return value_at(value, pointer) if not pointer or has(value, pointer) else _MISSING


def _equal(value: Any, text: str, pointer: Pointer) -> Iterator[Pointer]:
    """Where a text stands in plain data."""
    if value == text and isinstance(value, str):
        yield pointer
    elif isinstance(value, (dict, list)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _equal(each, text, (*pointer, key))
