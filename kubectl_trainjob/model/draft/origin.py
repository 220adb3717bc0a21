"""The origins of all values of an object, in a tree next to the data.

A node has the origin of its whole subtree, until a later write below it adds a node there. A source document of any
size starts as one node.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from kubectl_trainjob.model.source import Origin, Pointer, has, value_at

Cause = tuple[str | int, ...]
"""An input's name followed by a pointer into it: `("trainJob", "spec", "trainer", "numNodes")`."""

Entry = tuple[str | int, Any, Cause | None, tuple[Cause, ...]]
"""(key or index, value, copied, because), the last two as for `Draft.put`."""

Write = tuple[Pointer, Any, Cause | None, tuple[Cause, ...]]
"""(pointer, value, copied, because), for `Draft.put_each`."""

At = TypeVar("At", str, int, Pointer)

INPUT = "input"
"""The step of the values that an object had before the first write."""


@dataclass(frozen=True, slots=True)
class OriginTree:
    """The origin of a value and of all below it, except for the `entries` that were written later."""

    origin: Origin
    entries: dict[str | int, OriginTree] | None = None

    def entry(self, key: str | int) -> OriginTree:
        """The node of one entry; an entry without its own node inherits this one's origin."""
        if self.entries and key in self.entries:
            return self.entries[key]
        return OriginTree(self.origin.below((key,)))

    def at(self, pointer: Pointer) -> OriginTree:
        """The node of the value at `pointer`."""
        tree = self
        for key in pointer:
            tree = tree.entry(key)
        return tree

    def put(self, pointer: Pointer, new: OriginTree, fresh: set[int] | None = None) -> OriginTree:
        """This tree with `new` at `pointer`.

        `fresh` has the ids of entries that an earlier call copied for the same caller only: these change in place.
        """
        if not pointer:
            return new
        key = pointer[0]
        below = self.entry(key).put(pointer[1:], new, fresh)
        if fresh is not None and self.entries is not None and id(self.entries) in fresh:
            self.entries[key] = below
            return self
        entries = {**(self.entries or {}), key: below}
        if fresh is not None:
            fresh.add(id(entries))
        return OriginTree(self.origin, entries)

    def replaced(self, origin: Origin, old: Any) -> OriginTree:
        """The node of a value that `origin` wrote in place of `old`, the value of this node.

        Every entry below keeps the origin that was replaced; so do the entries that were removed with `old`.
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
        return OriginTree(replace(origin, over=replace(self.origin, value=old)), entries)

    def _gone(self, origin: Origin, key: str, old: Any) -> OriginTree:
        over = replace(self.entry(key).origin, value=old)
        causes = (origin.place,) if origin.place else origin.causes
        return OriginTree(Origin(origin.step, causes=causes, over=over, removes=True))

    def readded(self, origin: Origin) -> OriginTree:
        """The node of a value that `origin` wrote where no value exists, or where one was removed."""
        before = self.origin
        if before.step == INPUT:  # an earlier edit may have removed a value here, which only the input knows
            return OriginTree(replace(origin, over=replace(before, removes=True)))
        return OriginTree(replace(origin, over=before) if before.removes and before.over else origin)

    def respelled(self, value: Any) -> OriginTree:
        """This tree for the same data in another spelling; new entries have the origin of the value around them."""
        if self.origin.value is value and not self.entries:
            return self
        keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        gone = {key: entry for key, entry in (self.entries or {}).items() if entry.origin.removes}
        entries = gone | {key: self.entry(key).respelled(value[key]) for key in keys}
        return OriginTree(replace(self.origin, value=value), entries)

    def arrange(self, pointer: Pointer, order: list[int]) -> OriginTree:
        """This tree after the list at `pointer` was put into another order."""
        items = self.at(pointer)
        moved: dict[str | int, OriginTree] = {new: items.entry(old) for new, old in enumerate(order)}
        return self.put(pointer, OriginTree(items.origin, moved))


@dataclass(frozen=True, slots=True, eq=False)
class DraftSnapshot:
    """A snapshot of an object under construction, from which other values were computed."""

    value: Any
    _tree: OriginTree
    names: tuple[str, ...] = ()

    def origin(self, pointer: Pointer) -> Origin:
        """The origin of the value at `pointer` at that time."""
        return self._tree.at(pointer).origin


# Plain tuples, because a build makes dozens of them for each TrainJob.


def fixed(at: At, value: Any) -> tuple[At, Any, Cause | None, tuple[Cause, ...]]:
    """A value that does not depend on the inputs."""
    return at, value, None, ()


def copied(at: At, value: Any, cause: Cause) -> tuple[At, Any, Cause | None, tuple[Cause, ...]]:
    """A value that is copied from an input."""
    return at, value, cause, ()


def computed(at: At, value: Any, because: Iterable[Cause]) -> tuple[At, Any, Cause | None, tuple[Cause, ...]]:
    """A value that is computed from input values; the first one has the line to edit."""
    return at, value, None, tuple(because)
