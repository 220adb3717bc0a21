"""The history of one value of an object, and of all values below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.explain.history import HistoryBuilder, Write, inputs_of
from kubectl_trainjob.explain.masking import is_secret_kind, masked
from kubectl_trainjob.explain.path import NameCache, show
from kubectl_trainjob.explain.target import FoundObject
from kubectl_trainjob.model.source import Pointer, value_at


class TracedField(NamedTuple):
    """A value without anything below it, and its history, the newest write first."""

    pointer: Pointer
    value: Any
    history: tuple[Write, ...]


class TracedFields:
    """The values of one object; those of a Secret, or of a former Secret, are masked."""

    def __init__(self, found: FoundObject) -> None:
        self.identity = found.object.identity
        self._draft = found.object.draft
        self._historian = HistoryBuilder(inputs_of(found.job) if found.job else {})
        kinds = found.object.identity.kind, *(write.value for write in self._history(("kind",)))
        self.is_secret = any(map(is_secret_kind, kinds))
        self.body: Any = masked(self._draft.value) if self.is_secret else self._draft.value
        self._cache: NameCache = {}

    def path(self, pointer: Pointer) -> str:
        """The pointer as users write it."""
        return show(self.body, pointer, self._cache)

    def field(self, pointer: Pointer) -> TracedField:
        """The value at `pointer` and its history."""
        value, history = self._draft.get(*pointer), self._history(pointer)
        if self.is_secret:
            value, history = masked(value, pointer), tuple(_hidden(write, pointer) for write in history)
        return TracedField(pointer, value, history)

    def below(self, pointer: Pointer) -> Iterator[TracedField]:
        """Every value without anything below it, at `pointer` or below, in the object's order."""
        yield from map(self.field, leaves(self._draft.get(*pointer), pointer))

    def _history(self, pointer: Pointer) -> tuple[Write, ...]:
        origin = self._draft.origin(pointer)
        assert origin is not None
        return self._historian.history(origin)


def leaves(value: Any, pointer: Pointer = ()) -> Iterator[Pointer]:
    """The values without other values below: scalars, and empty mappings and lists."""
    if isinstance(value, dict) and value:
        for key, entry in value.items():
            yield from leaves(entry, (*pointer, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*pointer, index))
    else:
        yield pointer


def is_leaf(body: Any, pointer: Pointer) -> bool:
    """Whether a value has no other values below."""
    value = value_at(body, pointer)
    return not (isinstance(value, (dict, list)) and value)


def _hidden(write: Write, pointer: Pointer) -> Write:
    inputs = tuple(
        each._replace(
            value=masked(each.value, ("data",)), history=tuple(_hidden(older, ("data",)) for older in each.history)
        )
        for each in write.made_of
    )
    return write._replace(value=masked(write.value, pointer), made_of=inputs)
