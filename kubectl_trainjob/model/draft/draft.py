"""`Draft`: an immutable object under construction, written by pointer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kubectl_trainjob.model.draft.origin import Cause, Drafted, Note
from kubectl_trainjob.model.draft.writes import Entry, Write
from kubectl_trainjob.model.source import Origin, Place, Pointer, Source, value_at

_Written = tuple[Any, Cause | None, tuple[Cause, ...]]
"""(value, copied, because)."""


class Draft:
    """Plain data with `get`, `put`, `drop` and `arrange`; each write returns a new draft that shares what it can.

    With `inputs` (name → Source, None for the object itself as written so far) the draft records an origin for every
    write; without, recording costs one comparison.
    """

    __slots__ = ("_inputs", "_note", "_step", "value")

    def __init__(self, value: Any, inputs: Mapping[str, Source | None] | None = None) -> None:
        self.value = value
        self._inputs = inputs
        self._step = "start"
        self._note = Note(Origin("start")) if inputs is not None else None

    def _with(self, value: Any, note: Note | None) -> Draft:
        new = Draft.__new__(Draft)
        new.value, new._inputs, new._step, new._note = value, self._inputs, self._step, note
        return new

    @property
    def records(self) -> bool:
        """Whether the draft knows who wrote each value."""
        return self._note is not None

    def step(self, name: str) -> Draft:
        """The same data; what is written from here on was written by `name`."""
        if self._note is None:
            return self
        new = self._with(self.value, self._note)
        new._step = name
        return new

    def get(self, *pointer: str | int) -> Any:
        """The value at `pointer`, None where there is none."""
        return value_at(self.value, pointer)

    def entry(self, *pointer: str | int) -> Draft:
        """The value at `pointer` as a draft of its own, which holds None where there is none."""
        return self._with(value_at(self.value, pointer), self._note.at(pointer) if self._note is not None else None)

    def with_entries(self, entries: Mapping[str, Draft | None], cause: Cause = ()) -> Draft:
        """The mapping with entries that were drafted on their own; None removes one. A missing mapping is made.

        `cause` is what removes: the mapping that says of each such key that it goes.
        """
        value = dict(self.value or {})
        changed = {key: entry for key, entry in entries.items() if entry is not None or key in value}
        if not changed:
            return self
        for key, entry in changed.items():
            if entry is not None:
                value[key] = entry.value
            else:
                del value[key]
        note = self._joined(entries, (self._note and self._note.entries) or {})
        if note is not None:
            for key in [key for key, entry in changed.items() if entry is None]:
                note = self._without(note, (key,), value_at(self.value, (key,)), ((*cause, key),) if cause else ())
        return self._with(value, note)

    def with_items(self, items: Iterable[Draft | None]) -> Draft:
        """The list of items that were drafted on their own, without those that are None."""
        kept = [item for item in items if item is not None]
        return self._with([item.value for item in kept], self._joined(dict(enumerate(kept)), {}))

    def _joined(self, entries: Mapping[Any, Draft | None], others: Mapping[str | int, Note]) -> Note | None:
        """This draft's note with those of `entries`, and `others` for what is not among them."""
        if self._note is None:
            return None
        notes = {key: entry._note for key, entry in entries.items() if entry is not None and entry._note is not None}
        return Note(self._note.origin, {**others, **notes})

    def put(
        self, pointer: Pointer, value: Any, *, copied: Cause | None = None, because: tuple[Cause, ...] = ()
    ) -> Draft:
        """Write `value`; missing mappings on the way are made, an index equal to the list's length appends.

        `copied` names the input value that `value` is, `because` the input values that it was computed from.
        """
        note = None
        if self._note is not None:
            note = self._noted(self._note, pointer, self.get(*pointer), (value, copied, because))
        return self._with(_put(self.value, pointer, value), note)

    def put_each(self, writes: Sequence[Write]) -> Draft:
        """As many `put`s, one after the other, that copy each container on their ways once."""
        value, note, fresh = self.value, self._note, set[int]()
        for pointer, new, copied, because in writes:
            if note is not None:
                note = self._noted(note, pointer, value_at(value, pointer), (new, copied, because))
            value = _put(value, pointer, new, fresh)
        return self._with(value, note)

    def put_all(self, pointer: Pointer, entries: Sequence[Entry]) -> Draft:
        """Write several entries of the mapping or list at `pointer`, as many `put`s would, but copy the way once.

        There is at least one entry.
        """
        changed = _copy(self.get(*pointer), entries[0][0])
        note = self._note
        for key, value, copied, because in entries:
            if note is not None:
                note = self._noted(note, (*pointer, key), value_at(changed, (key,)), (value, copied, because))
            _assign(changed, key, value)
        return self._with(_put(self.value, pointer, changed), note)

    def graft(self, pointer: Pointer, entry: Draft) -> Draft:
        """Write what was drafted on its own, as `put` would, with its origins."""
        note = self._note
        if note is not None and entry._note is not None:
            note = note.put(pointer, entry._note)
        return self._with(_put(self.value, pointer, entry.value), note)

    def copy(self, pointer: Pointer, because: tuple[Cause, ...] = ()) -> Draft:
        """The value at `pointer` as a draft of its own that was copied from there, since `because` says so."""
        entry = self.entry(*pointer)
        if self._note is None:
            return entry
        origin = Origin(self._step, Place(self.source(), pointer), self._places(because), value=entry.value)
        return self._with(entry.value, Note(origin))

    def over(self, old: Draft) -> Draft:
        """This draft as what takes the place of another one."""
        if self._note is None or old._note is None or old.value is None:
            return self
        return self._with(self.value, old._note.replaced(self._note.origin, old.value))

    def drop(self, pointer: Pointer, because: tuple[Cause, ...] = ()) -> Draft:
        """Remove a mapping's entry; nothing happens where there is none."""
        parent = self.get(*pointer[:-1])
        if not isinstance(parent, dict) or pointer[-1] not in parent:
            return self
        rest = {key: value for key, value in parent.items() if key != pointer[-1]}
        note = self._note
        if note is not None:
            note = self._without(note, pointer, parent[pointer[-1]], because)
        return self._with(_put(self.value, pointer[:-1], rest), note)

    def arrange(self, pointer: Pointer, order: list[int]) -> Draft:
        """Put the list at `pointer` into another order; `order[i]` is the old index of the item that becomes item i."""
        items = self.get(*pointer)
        note = self._note.arrange(pointer, order) if self._note is not None else None
        return self._with(_put(self.value, pointer, [items[old] for old in order]), note)

    def reshape(self, pointer: Pointer, value: Any) -> Draft:
        """The value at `pointer` in another spelling: same entries at the same places, so origins stay."""
        note = self._note
        if note is not None:
            note = note.put(pointer, note.at(pointer).respelled(value))
        return self._with(_put(self.value, pointer, value), note)

    def origin(self, pointer: Pointer) -> Origin | None:
        """Who wrote the value at `pointer`; None when the draft does not record."""
        return self._note.at(pointer).origin if self._note is not None else None

    def place(self, pointer: Pointer) -> Place | None:
        """The line that a person would edit to change the value at `pointer`; None where that is not known."""
        return self._note.at(pointer).origin.first_place() if self._note is not None else None

    def _noted(self, note: Note, pointer: Pointer, old: Any, write: _Written) -> Note:
        """The tree of notes after a write at `pointer`, where `old` stood."""
        value, copied, because = write
        origin = Origin(self._step, self._place(copied) if copied else None, self._places(because), value=value)
        before = note.at(pointer)
        return note.put(pointer, before.replaced(origin, old) if old is not None else before.readded(origin))

    def _without(self, note: Note, pointer: Pointer, old: Any, because: tuple[Cause, ...]) -> Note:
        """The tree of notes after the value at `pointer`, `old`, was removed."""
        removal = Origin(self._step, causes=self._places(because), removes=True)
        return note.put(pointer, Note(note.at(pointer).replaced(removal, old).origin))

    def _places(self, causes: tuple[Cause, ...]) -> tuple[Place, ...]:
        return tuple(self._place(cause) for cause in dict.fromkeys(causes))

    def _place(self, cause: Cause) -> Place:
        """Where a cause stands. Raises KeyError for a name that no input has."""
        assert self._inputs is not None
        return Place(self._inputs[str(cause[0])] or self.source(), cause[1:])

    def source(self) -> Source:
        """What has been written so far as something that causes can name; of a draft that records."""
        assert self._inputs is not None
        assert self._note is not None
        first = next(source for source in self._inputs.values() if source)
        return replace(first, edits=Drafted(self.value, self._note))


def _has(container: Any, key: str | int) -> bool:
    return key in container if isinstance(container, dict) else int(key) < len(container)


def _put(root: Any, pointer: Pointer, value: Any, fresh: set[int] | None = None) -> Any:
    """A copy of `root` with `value` at `pointer`; only the containers on the way are copied.

    `fresh` holds the ids of copies that an earlier call made for the same caller and nobody else knows: these are
    written into.
    """
    if not pointer:
        return value
    last = len(pointer) - 1
    top = node = _own(root, pointer[0], fresh)
    for depth in range(last):
        key = pointer[depth]
        old = node[key] if _has(node, key) else None
        child = _own(old, pointer[depth + 1], fresh)
        if child is not old:
            _assign(node, key, child)
        node = child
    _assign(node, pointer[last], value)
    return top


def _own(container: Any, key: str | int, fresh: set[int] | None) -> Any:
    """A container that may be written into; `key` tells which kind to make where there is none."""
    if fresh is None:
        return _copy(container, key)
    if id(container) in fresh:
        return container
    copy = _copy(container, key)
    fresh.add(id(copy))
    return copy


def _copy(container: Any, key: str | int) -> Any:
    if container is None:
        return [] if isinstance(key, int) else {}
    return container.copy()


def _assign(container: Any, key: str | int, value: Any) -> None:
    if isinstance(container, list) and key == len(container):
        container.append(value)
    else:
        container[key] = value
