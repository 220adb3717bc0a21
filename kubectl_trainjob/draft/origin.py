"""Origins: who wrote a value, from where, and what it replaced.

Origins live in a tree beside the data (`Note`). A note speaks for its whole subtree until a later write below it gets
a note of its own, so a source document of any size starts as one note.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kubectl_trainjob.source import Place, Pointer

Cause = tuple[str | int, ...]
"""An input's name followed by a pointer into it: `("trainJob", "spec", "trainer", "numNodes")`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One write. `place` is set when the value was copied as it stands; `causes` are what a computed value rests on."""

    step: str
    place: Place | None = None
    causes: tuple[Place, ...] = ()
    over: Origin | None = None

    def below(self, rest: Pointer) -> Origin:
        """The origin of a value that stands `rest` below the written one."""
        if not rest or (self.place is None and self.over is None):
            return self
        place = self.place.child(*rest) if self.place else None
        return replace(self, place=place, over=self.over.below(rest) if self.over else None)

    def first_place(self) -> Place | None:
        """The line a person would edit to change the value."""
        if self.place is not None:
            return self.place
        if self.causes:
            return self.causes[0]
        return self.over.first_place() if self.over else None


@dataclass(frozen=True, slots=True)
class Note:
    """The origin of a subtree, and the notes of those entries below it that were written later."""

    origin: Origin
    entries: dict[str | int, Note] | None = None

    def entry(self, key: str | int) -> Note:
        """The note of one entry; an entry without its own note inherits this one's origin."""
        if self.entries and key in self.entries:
            return self.entries[key]
        return Note(self.origin.below((key,)))

    def at(self, pointer: Pointer) -> Note:
        """The note that speaks for `pointer`."""
        note = self
        for key in pointer:
            note = note.entry(key)
        return note

    def put(self, pointer: Pointer, new: Note) -> Note:
        """This tree with `new` at `pointer`."""
        if not pointer:
            return new
        key = pointer[0]
        return Note(self.origin, {**(self.entries or {}), key: self.entry(key).put(pointer[1:], new)})

    def arrange(self, pointer: Pointer, order: list[int]) -> Note:
        """This tree after the list at `pointer` was put into another order."""
        items = self.at(pointer)
        moved: dict[str | int, Note] = {new: items.entry(old) for new, old in enumerate(order)}
        return self.put(pointer, Note(items.origin, moved))
