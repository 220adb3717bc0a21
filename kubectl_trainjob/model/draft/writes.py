"""Several writes at once, as `Draft.put_each` and `Draft.put_all` take them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from kubectl_trainjob.model.draft.origin import Cause
from kubectl_trainjob.model.source import Pointer

Entry = tuple[str | int, Any, Cause | None, tuple[Cause, ...]]
"""(key or index, value, copied, because), the last two as for `Draft.put`."""

Write = tuple[Pointer, Any, Cause | None, tuple[Cause, ...]]
"""(pointer, value, copied, because), for `Draft.put_each`."""

At = TypeVar("At", str, int, Pointer)

# Plain tuples, because a build makes dozens of them for each TrainJob.


def fixed(at: At, value: Any) -> tuple[At, Any, Cause | None, tuple[Cause, ...]]:
    """A value that is the same whatever the inputs say."""
    return at, value, None, ()


def copied(at: At, value: Any, cause: Cause) -> tuple[At, Any, Cause | None, tuple[Cause, ...]]:
    """A value that stands like this in an input."""
    return at, value, cause, ()


def computed(at: At, value: Any, because: Iterable[Cause]) -> tuple[At, Any, Cause | None, tuple[Cause, ...]]:
    """A value that was made of input values; the first of these decides."""
    return at, value, None, tuple(because)
