"""Origins of a whole object, in a tree beside the data (`Note`).

A note speaks for its whole subtree until a later write below it gets a note of its own, so a source document of any
size starts as one note.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kubectl_trainjob.model.source import Origin, Pointer, has, value_at

Cause = tuple[str | int, ...]
"""An input's name followed by a pointer into it: `("trainJob", "spec", "trainer", "numNodes")`."""

INPUT = "input"
"""The step of what stood in an object before anything was written to it."""


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

    def replaced(self, origin: Origin, old: Any) -> Note:
        """The note of a value that `origin` wrote where `old` stood, which this note speaks for.

        It knows of every entry below what it replaced, and of those that went with `old`.
        """
        new = origin.value
        entries = {
            key: entry.replaced(origin.below((key,)), value_at(old, (key,)))
            for key, entry in (self.entries or {}).items()
            if has(new, (key,)) and has(old, (key,))
        }
        if isinstance(old, dict) and isinstance(new, dict):
            for key, value in old.items():
                if key not in new:
                    entries[key] = self._gone(origin, key, value)
                elif isinstance(value, dict) and key not in entries:
                    entries[key] = self.entry(key).replaced(origin.below((key,)), value)
        return Note(replace(origin, over=replace(self.origin, value=old)), entries)

    def _gone(self, origin: Origin, key: str, old: Any) -> Note:
        over = replace(self.entry(key).origin, value=old)
        causes = (origin.place,) if origin.place else origin.causes
        return Note(Origin(origin.step, causes=causes, over=over, removes=True))

    def readded(self, origin: Origin) -> Note:
        """The note of a value that `origin` wrote where nothing stands, or nothing any more."""
        before = self.origin
        if before.step == INPUT:  # an earlier edit may have taken away what stood there: the input knows
            return Note(replace(origin, over=replace(before, removes=True)))
        return Note(replace(origin, over=before) if before.removes and before.over else origin)

    def respelled(self, value: Any) -> Note:
        """This tree for the same data in another spelling; what is new in it was written with what it stands in."""
        if self.origin.value is value and not self.entries:
            return self
        keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        gone = {key: entry for key, entry in (self.entries or {}).items() if entry.origin.removes}
        entries = gone | {key: self.entry(key).respelled(value[key]) for key in keys}
        return Note(replace(self.origin, value=value), entries)

    def arrange(self, pointer: Pointer, order: list[int]) -> Note:
        """This tree after the list at `pointer` was put into another order."""
        items = self.at(pointer)
        moved: dict[str | int, Note] = {new: items.entry(old) for new, old in enumerate(order)}
        return self.put(pointer, Note(items.origin, moved))


@dataclass(frozen=True, slots=True, eq=False)
class Drafted:
    """An object under construction as it was at some time: what other values were computed from."""

    value: Any
    _note: Note
    names: tuple[str, ...] = ()

    def origin(self, pointer: Pointer) -> Origin:
        """Who had written the value at `pointer`."""
        return self._note.at(pointer).origin
