"""How large and how deep an object may become by the operations of a patch, and how much work they may be."""

from __future__ import annotations

from itertools import accumulate
from operator import getitem
from typing import Any

from kubectl_trainjob.compiler.overlay.patch_error import PatchError
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.source import Pointer

_EACH = 8
# Entries that are copied in one step: a mapping's are copied as they are, a list's may all move.
_ENTRIES, _ITEMS = 32, 2


class Growth:
    """Counts from the first copy on: what the object holds then, and all that is written after it.

    So the cost is that of the values written, and a copy of copies of copies ends early.
    """

    __slots__ = ("_deepened", "_limits", "_size", "_steps")

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._limits = steps.limits
        self._size: int | None = None
        self._deepened: Cause | None = None

    def write(self, pointer: Pointer, value: Any, cause: Cause) -> None:
        """`value` is to stand at `pointer`, too. Raises PatchError."""
        size, depth = _measured(value)
        self._require_depth(len(pointer) + depth, cause)
        if self._size is not None:
            self._size += size
            if self._size > self._limits.patched_bytes:
                message = f"the copies make the object larger than {self._limits.patched_bytes} bytes"
                raise PatchError(f"{message} (limits.patchedBytes); copy less", cause)

    def copy(self, root: Any, pointer: Pointer, value: Any, cause: Cause) -> None:
        """As `write`, of a value that the object `root` has already. Raises PatchError."""
        if self._size is None:
            self._size = _measured(root)[0]
        self.write(pointer, value, cause)

    def move(self, pointer: Pointer, origin: Pointer, cause: Cause) -> None:
        """What stood at `origin` is to stand at `pointer`. Its depth is looked at in the end: it may move often."""
        if len(pointer) > len(origin):
            self._deepened = cause

    def rebuild(self, draft: Draft, pointer: Pointer) -> None:
        """The mappings and lists on the way to `pointer` are to be made anew. Raises StepsError."""
        rebuilt = accumulate(pointer[:-1], getitem, initial=draft.value)
        self._steps.take(sum(len(each) // (_ITEMS if isinstance(each, list) else _ENTRIES) for each in rebuilt), draft)

    def require_depth_of(self, root: Any) -> None:
        """The patched object must not be too deep. Raises PatchError."""
        if self._deepened is not None:
            self._require_depth(_measured(root)[1], self._deepened)

    def _require_depth(self, depth: int, cause: Cause) -> None:
        if depth > self._limits.depth:
            message = f"the object becomes more than {self._limits.depth} mappings and lists deep (limit depth)"
            raise PatchError(f"{message}; write the value further up", cause)


def _measured(value: Any) -> tuple[int, int]:
    """The size of a value as the limit counts it, and how many mappings and lists it has inside each other."""
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
