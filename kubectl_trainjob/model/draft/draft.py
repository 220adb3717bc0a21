"""`Draft`: an immutable object under construction, changed by pointer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from kubectl_trainjob.model.draft.origin import Cause, DraftSnapshot, Entry, OriginTree, Write
from kubectl_trainjob.model.source import Origin, Place, Pointer, Source, value_at

_WrittenValue = tuple[Any, Cause | None, tuple[Cause, ...]]
"""(value, copied, because)."""


class Draft:
    """Plain data with `get`, `put`, `drop` and `arrange`; each write returns a new draft that shares what it can.

    With `inputs`, the draft records an origin for every write; without, recording costs one comparison. They have
    Sources by name; None is the object itself as written so far.
    """

    __slots__ = ("_inputs", "_step", "_tree", "value")

    def __init__(self, value: Any, inputs: Mapping[str, Source | None] | None = None) -> None:
        self.value = value
        self._inputs = inputs
        self._step = "start"
        self._tree = OriginTree(Origin("start")) if inputs is not None else None

    def _with(self, value: Any, tree: OriginTree | None) -> Draft:
        new = Draft.__new__(Draft)
        new.value, new._inputs, new._step, new._tree = value, self._inputs, self._step, tree
        return new

    def blank(self, because: tuple[Cause, ...]) -> Draft:
        """A new value, None so far, that is drafted from the same inputs; `because` are the reasons that it exists."""
        tree = None if self._tree is None else OriginTree(Origin(self._step, causes=self._places(because)))
        return self._with(None, tree)

    @property
    def records(self) -> bool:
        """Whether the draft has the origin of each value."""
        return self._tree is not None

    def step(self, name: str) -> Draft:
        """The same data; `name` is the step of the following writes."""
        if self._tree is None:
            return self
        new = self._with(self.value, self._tree)
        new._step = name
        return new

    def get(self, *pointer: str | int) -> Any:
        """The value at `pointer`, None if there is none."""
        return value_at(self.value, pointer)

    def entry(self, *pointer: str | int) -> Draft:
        """The value at `pointer` as a separate draft, of None if there is none."""
        return self._with(value_at(self.value, pointer), self._tree.at(pointer) if self._tree is not None else None)

    def with_entries(self, entries: Mapping[str, Draft | None], cause: Cause = ()) -> Draft:
        """The mapping with entries that were drafted separately; None removes one. A missing mapping is created.

        `cause` is the mapping that removes entries: it has their keys.
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
        tree = self._join(entries, (self._tree and self._tree.entries) or {})
        if tree is not None:
            for key in [key for key, entry in changed.items() if entry is None]:
                tree = self._without(tree, (key,), value_at(self.value, (key,)), ((*cause, key),) if cause else ())
        return self._with(value, tree)

    def with_items(self, items: Iterable[Draft | None]) -> Draft:
        """The list of items that were drafted separately, without those that are None."""
        kept = [item for item in items if item is not None]
        return self._with([item.value for item in kept], self._join(dict(enumerate(kept)), {}))

    def _join(self, entries: Mapping[Any, Draft | None], others: Mapping[str | int, OriginTree]) -> OriginTree | None:
        """This draft's tree with those of `entries`, and of `others` for the rest."""
        if self._tree is None:
            return None
        trees = {key: entry._tree for key, entry in entries.items() if entry is not None and entry._tree is not None}
        return OriginTree(self._tree.origin, {**others, **trees})

    def put(
        self, pointer: Pointer, value: Any, *, copied: Cause | None = None, because: tuple[Cause, ...] = ()
    ) -> Draft:
        """Write `value`; missing mappings on the way are created, an index equal to the list's length appends.

        `copied` is the input value that was copied, `because` are the input values from which it was computed.
        """
        tree = None
        if self._tree is not None:
            tree = self._with_write(self._tree, pointer, self.get(*pointer), (value, copied, because))
        return self._with(_put(self.value, pointer, value), tree)

    def put_each(self, writes: Sequence[Write]) -> Draft:
        """Several `put`s, which copy each container on their ways only once."""
        value, tree, fresh, fresh_trees = self.value, self._tree, set[int](), set[int]()
        for pointer, new, copied, because in writes:
            if tree is not None:
                written = (new, copied, because)
                tree = self._with_write(tree, pointer, value_at(value, pointer), written, fresh_trees)
            value = _put(value, pointer, new, fresh)
        return self._with(value, tree)

    def put_all(self, pointer: Pointer, entries: Sequence[Entry]) -> Draft:
        """Several `put`s into the mapping or list at `pointer`, at least one, which copy the way only once."""
        changed = _copy(self.get(*pointer), entries[0][0])
        tree, fresh = self._tree, set[int]()
        for key, value, copied, because in entries:
            if tree is not None:
                written = (value, copied, because)
                tree = self._with_write(tree, (*pointer, key), value_at(changed, (key,)), written, fresh)
            _assign(changed, key, value)
        return self._with(_put(self.value, pointer, changed), tree)

    def graft(self, pointer: Pointer, entry: Draft) -> Draft:
        """Write a value that was drafted separately, with its origins."""
        tree = self._tree
        if tree is not None and entry._tree is not None:
            tree = tree.put(pointer, entry._tree)
        return self._with(_put(self.value, pointer, entry.value), tree)

    def copy(self, pointer: Pointer, because: tuple[Cause, ...] = ()) -> Draft:
        """A copy of the value at `pointer` as a separate draft; `because` are the settings that request the copy."""
        entry = self.entry(*pointer)
        if self._tree is None:
            return entry
        origin = Origin(self._step, Place(self.source(), pointer), self._places(because), value=entry.value)
        return self._with(entry.value, OriginTree(origin))

    def over(self, old: Draft) -> Draft:
        """This draft as the replacement of another one."""
        if self._tree is None or old._tree is None or old.value is None:
            return self
        return self._with(self.value, old._tree.replaced(self._tree.origin, old.value))

    def drop(self, pointer: Pointer, because: tuple[Cause, ...] = ()) -> Draft:
        """Remove a mapping's entry, if it exists."""
        parent = self.get(*pointer[:-1])
        if not isinstance(parent, dict) or pointer[-1] not in parent:
            return self
        rest = {key: value for key, value in parent.items() if key != pointer[-1]}
        tree = self._tree
        if tree is not None:
            tree = self._without(tree, pointer, parent[pointer[-1]], because)
        return self._with(_put(self.value, pointer[:-1], rest), tree)

    def arrange(self, pointer: Pointer, order: list[int]) -> Draft:
        """Put the list at `pointer` into another order; `order[i]` is the old index of the item that is item i now."""
        items = self.get(*pointer)
        tree = self._tree.arrange(pointer, order) if self._tree is not None else None
        return self._with(_put(self.value, pointer, [items[old] for old in order]), tree)

    def reshape(self, pointer: Pointer, value: Any) -> Draft:
        """Write the value at `pointer` in another spelling: the same entries at the same places keep their origins."""
        tree = self._tree
        if tree is not None:
            tree = tree.put(pointer, tree.at(pointer).respelled(value))
        return self._with(_put(self.value, pointer, value), tree)

    def origin(self, pointer: Pointer) -> Origin | None:
        """The origin of the value at `pointer`; None if the draft does not record."""
        return self._tree.at(pointer).origin if self._tree is not None else None

    def place(self, pointer: Pointer) -> Place | None:
        """The line to edit to change the value at `pointer`; None if it is not known."""
        return self._tree.at(pointer).origin.first_place() if self._tree is not None else None

    def _with_write(
        self, tree: OriginTree, pointer: Pointer, old: Any, write: _WrittenValue, fresh: set[int] | None = None
    ) -> OriginTree:
        """The tree after a write at `pointer` in place of `old`."""
        value, copied, because = write
        origin = Origin(self._step, self._place(copied) if copied else None, self._places(because), value=value)
        before = tree.at(pointer)
        new = before.replaced(origin, old) if old is not None else before.readded(origin)
        return tree.put(pointer, new, fresh)

    def _without(self, tree: OriginTree, pointer: Pointer, old: Any, because: tuple[Cause, ...]) -> OriginTree:
        """The tree after the value at `pointer`, `old`, was removed."""
        removal = Origin(self._step, causes=self._places(because), removes=True)
        return tree.put(pointer, OriginTree(tree.at(pointer).replaced(removal, old).origin))

    def _places(self, causes: tuple[Cause, ...]) -> tuple[Place, ...]:
        return tuple(self._place(cause) for cause in dict.fromkeys(causes))

    def _place(self, cause: Cause) -> Place:
        """The place of a cause. Raises KeyError for a name that no input has."""
        assert self._inputs is not None
        return Place(self._inputs[str(cause[0])] or self.source(), cause[1:])

    def source(self) -> Source:
        """The current state of a recording draft as a source that causes can name."""
        assert self._inputs is not None
        assert self._tree is not None
        first = next(source for source in self._inputs.values() if source)
        return replace(first, edits=DraftSnapshot(self.value, self._tree))


def _put(root: Any, pointer: Pointer, value: Any, fresh: set[int] | None = None) -> Any:
    """A copy of `root` with `value` at `pointer`; only the containers on the way are copied.

    `fresh` has the ids of copies that an earlier call made for the same caller only: these are changed in place.
    """
    if not pointer:
        return value
    top = node = _own(root, pointer[0], fresh)
    for key, below in pairwise(pointer):
        old = node.get(key) if isinstance(node, dict) else node[key] if int(key) < len(node) else None
        child = _own(old, below, fresh)
        if child is not old:
            _assign(node, key, child)
        node = child
    _assign(node, pointer[-1], value)
    return top


def _own(container: Any, key: str | int, fresh: set[int] | None) -> Any:
    """A container that may be changed; if it does not exist, `key` selects its type."""
    if fresh is not None and id(container) in fresh:
        return container
    copy = _copy(container, key) if container is None else container.copy()
    if fresh is not None:
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
