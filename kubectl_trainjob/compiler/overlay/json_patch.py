"""JSON 6902 patches: the library changes the object, the draft follows with the origins.

Mirrors kustomize (api/filters/patchjson6902) where it goes beyond the RFC: `replace` adds a missing entry of a mapping,
and an index may be negative. `test` of null holds where an entry is missing. Stricter than kustomize: unknown fields, a
missing `value`, and a `from` that does not exist are errors.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from operator import getitem
from typing import Any

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.compiler.overlay.json_patch_operation import Operation, new_place_of, place_of, read_operation
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer, json_pointer, same

_EACH = 8
# Entries that are copied in one step: a mapping's are copied as they are, a list's may all move.
_ENTRIES, _ITEMS = 32, 2
_TOO_LARGE = "the copies make the object larger than {} bytes (limits.patchedBytes); copy less"
_TOO_DEEP = (
    "the patched object has more than {} nested mappings and lists (limit depth); write the value at a higher level"
)


class PatchSize:
    """The size of a patched object, counted from the first copy on. The cost is proportional to the written values, and
    nested copies fail early.
    """

    __slots__ = ("_deepened", "_limits", "_size", "_steps")

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._limits = steps.limits
        self._size: int | None = None
        self._deepened: Cause | None = None

    def write(self, pointer: Pointer, value: Any, cause: Cause) -> None:
        """Count `value` at `pointer`, too. Raises PatchError."""
        size, depth = _size_and_depth(value)
        self._require_depth(len(pointer) + depth, cause)
        if self._size is not None:
            self._size += size
            if self._size > self._limits.patched_bytes:
                raise PatchError(say(_TOO_LARGE, self._limits.patched_bytes), cause)

    def copy(self, root: Any, pointer: Pointer, value: Any, cause: Cause) -> None:
        """As `write`, of a value that the object `root` has already. Raises PatchError."""
        if self._size is None:
            self._size = _size_and_depth(root)[0]
        self.write(pointer, value, cause)

    def move(self, pointer: Pointer, origin: Pointer, cause: Cause) -> None:
        """Count a move from `origin` to `pointer`. The depth is checked once, at the end."""
        if len(pointer) > len(origin):
            self._deepened = cause

    def rebuild(self, draft: Draft, pointer: Pointer) -> None:
        """Count copies of the mappings and lists above `pointer`. Raises StepsError."""
        rebuilt = accumulate(pointer[:-1], getitem, initial=draft.value)
        self._steps.take(sum(len(each) // (_ITEMS if isinstance(each, list) else _ENTRIES) for each in rebuilt), draft)

    def require_depth_of(self, root: Any) -> None:
        """The patched object must not be too deep. Raises PatchError."""
        if self._deepened is not None:
            self._require_depth(_size_and_depth(root)[1], self._deepened)

    def _require_depth(self, depth: int, cause: Cause) -> None:
        if depth > self._limits.depth:
            raise PatchError(say(_TOO_DEEP, self._limits.depth), cause)


def _size_and_depth(value: Any) -> tuple[int, int]:
    """The size of a value as the limit counts it, and how deep its mappings and lists are."""
    size, depth, level = 0, 0, [value]
    while level:
        below: list[Any] = []
        size += _EACH * len(level)
        for each in level:
            if isinstance(each, str):
                size += len(each)
            elif isinstance(each, dict):
                size += sum(map(len, each)) + _EACH * len(each)
                below += each.values()
            elif isinstance(each, list):
                below += each
        depth += any(isinstance(each, dict | list) for each in level)
        level = below
    return size, depth


def apply_operations(draft: Draft, operations: list[Any], cause: Cause, steps: Steps) -> Draft:
    """Apply a patch's operations in their order; `cause` is where their list is.

    Raises PatchError, whose cause is the operation with the error, or a field of it, and StepsError.
    """
    most = steps.limits.patch_operations
    if len(operations) > most:
        message = say(
            "the patch has {} operations, more than {} (limits.patchOperations); split it", len(operations), most
        )
        raise PatchError(message, cause)
    growth = PatchSize(steps)
    for index, written in enumerate(operations):
        operation = read_operation(written, (*cause, index))
        draft = _APPLY[operation.op](draft, operation, growth)
    growth.require_depth_of(draft.value)
    return draft


def _add(draft: Draft, operation: Operation, growth: PatchSize) -> Draft:
    pointer = new_place_of(draft.value, operation.path, (*operation.cause, "path"))
    growth.write(pointer, operation.value, operation.cause)
    growth.rebuild(draft, pointer)
    items = draft.get(*pointer[:-1])
    place = (*pointer[:-1], len(items)) if isinstance(items, list) else pointer
    return _write(draft, "add", pointer, _specified_value(draft, place, operation))


def _replace(draft: Draft, operation: Operation, growth: PatchSize) -> Draft:
    if not operation.path and not isinstance(operation.value, dict):
        raise PatchError(say("an object must be a mapping; write one"), (*operation.cause, "value"))
    if _is_missing_entry(draft, operation):
        return _add(draft, operation, growth)
    pointer = place_of(draft.value, operation.path, (*operation.cause, "path"))
    growth.write(pointer, operation.value, operation.cause)
    growth.rebuild(draft, pointer)
    return _write(draft, "replace", pointer, _specified_value(draft, pointer, operation))


def _remove(draft: Draft, operation: Operation, growth: PatchSize) -> Draft:
    pointer = place_of(draft.value, operation.path, (*operation.cause, "path"))
    growth.rebuild(draft, pointer)
    return _write(draft, "remove", pointer, because=(operation.cause,))


def _move(draft: Draft, operation: Operation, growth: PatchSize) -> Draft:
    origin = place_of(draft.value, operation.origin, (*operation.cause, "from"))
    if _prefix(draft.value, operation.path, len(origin)) == origin:
        if len(operation.path) == len(origin):
            return draft
        raise PatchError(say("a value cannot be moved into itself; correct the path"), (*operation.cause, "path"))
    moved = draft.copy(origin, (operation.cause,))
    growth.rebuild(draft, origin)
    draft = _write(draft, "remove", origin, because=(operation.cause,))
    pointer = new_place_of(draft.value, operation.path, (*operation.cause, "path"))
    growth.move(pointer, origin, operation.cause)
    growth.rebuild(draft, pointer)
    return _write(draft, "add", pointer, _in_place(draft, pointer, moved))


def _copy(draft: Draft, operation: Operation, growth: PatchSize) -> Draft:
    copied = draft.copy(place_of(draft.value, operation.origin, (*operation.cause, "from")), (operation.cause,))
    pointer = new_place_of(draft.value, operation.path, (*operation.cause, "path"))
    growth.copy(draft.value, pointer, copied.value, operation.cause)
    growth.rebuild(draft, pointer)
    return _write(draft, "add", pointer, _in_place(draft, pointer, copied))


def _in_place(draft: Draft, pointer: Pointer, entry: Draft) -> Draft:
    """A copied value that replaces the one at `pointer`; an item of a list replaces none."""
    return entry if isinstance(draft.get(*pointer[:-1]), list) else entry.over(draft.entry(*pointer))


def _test(draft: Draft, operation: Operation, _: PatchSize) -> Draft:
    if operation.value is None and _is_missing_entry(draft, operation):
        return draft
    pointer = place_of(draft.value, operation.path, (*operation.cause, "path"))
    if not same(draft.get(*pointer), operation.value):
        message = say("the test fails: the object has another value; correct the object or the test")
        raise PatchError(message, (*operation.cause, "value"))
    return draft


_APPLY: dict[str, Callable[[Draft, Operation, PatchSize], Draft]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _is_missing_entry(draft: Draft, operation: Operation) -> bool:
    """Whether the path leads to an entry that its mapping does not have."""
    *way, last = operation.path or ("",)
    parent = draft.get(*place_of(draft.value, tuple(way), (*operation.cause, "path")))
    return bool(operation.path) and isinstance(parent, dict) and last not in parent


def _prefix(root: Any, path: tuple[str, ...], length: int) -> Pointer | None:
    try:
        return place_of(root, path[:length], ())
    except PatchError:
        return None


def _specified_value(draft: Draft, place: Pointer, operation: Operation) -> Draft:
    """The operation's value, in the place of what the draft has there."""
    return draft.entry(*place).put((), operation.value, copied=(*operation.cause, "value"))


def _write(
    draft: Draft, op: str, pointer: Pointer, entry: Draft | None = None, because: tuple[Cause, ...] = ()
) -> Draft:
    value = _by_library(draft.value, op, pointer, entry)
    if draft.records:
        draft = _remove_value(draft, pointer, because) if entry is None else _add_or_replace(draft, op, pointer, entry)
    return draft.reshape((), value)


def _by_library(root: Any, op: str, pointer: Pointer, entry: Draft | None) -> Any:
    """The object after one change; its untouched parts and the new value are shared, not copied."""
    from jsonpatch import JsonPatch

    if not pointer:
        return entry and entry.value
    top = parent = root.copy()
    for key in pointer[:-1]:
        parent[key] = parent[key].copy()
        parent = parent[key]
    # The library would copy a value deeply: it gets none, and the value is put into the place that it has made.
    JsonPatch([{"op": op, "path": json_pointer(pointer), "value": None}]).apply(top, in_place=True)
    if entry is not None:
        parent[pointer[-1]] = entry.value
    return top


def _remove_value(draft: Draft, pointer: Pointer, because: tuple[Cause, ...]) -> Draft:
    """A removal with the origins of all values."""
    items = draft.get(*pointer[:-1])
    if isinstance(items, list):
        return draft.arrange(pointer[:-1], [place for place in range(len(items)) if place != pointer[-1]])
    return draft.drop(pointer, because)


def _add_or_replace(draft: Draft, op: str, pointer: Pointer, entry: Draft) -> Draft:
    """Another change with the origins of all values."""
    items = draft.get(*pointer[:-1]) if pointer else None
    if op == "replace" or not isinstance(items, list):
        return draft.graft(pointer, entry)
    size, place = len(items), int(pointer[-1])
    return draft.graft((*pointer[:-1], size), entry).arrange(pointer[:-1], [*range(place), size, *range(place, size)])
