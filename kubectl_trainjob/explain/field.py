"""What is told of one value of an object, and of all values below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kubectl_trainjob.explain.history import Historian, Write, inputs_of
from kubectl_trainjob.explain.masking import mask, masked
from kubectl_trainjob.explain.target import Found
from kubectl_trainjob.source import Pointer, value_at


@dataclass(frozen=True, slots=True)
class Field:
    """A value without anything below it, and its history, the newest write first."""

    pointer: Pointer
    value: Any
    history: tuple[Write, ...]


class Fields:
    """The values of one object; what Secrets hold is masked."""

    def __init__(self, found: Found) -> None:
        self._identity, self._draft = found.object.identity, found.object.draft
        self._historian = Historian(inputs_of(found.job) if found.job else {})

    @property
    def body(self) -> Any:
        """The object as it may be shown."""
        return masked(self._identity, self._draft.value)

    def field(self, pointer: Pointer) -> Field:
        """What is told of the value at `pointer`."""
        origin = self._draft.origin(pointer)
        assert origin is not None
        value = self._draft.get(*pointer)
        history = self._historian.history(origin)
        if masked(self._identity, value, pointer) != value:
            history = tuple(map(_hidden, history))
        return Field(pointer, masked(self._identity, value, pointer), history)

    def below(self, pointer: Pointer) -> Iterator[Field]:
        """Every value without anything below it, at `pointer` or below, in the object's order."""
        for each in leaves(self._draft.get(*pointer), pointer):
            yield self.field(each)


def leaves(value: Any, pointer: Pointer = ()) -> Iterator[Pointer]:
    """Where nothing more stands below: scalars, and empty mappings and lists."""
    if isinstance(value, dict) and value:
        for key, entry in value.items():
            yield from leaves(entry, (*pointer, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*pointer, index))
    else:
        yield pointer


def is_leaf(body: Any, pointer: Pointer) -> bool:
    """Whether nothing more stands below a value."""
    value = value_at(body, pointer)
    return not (isinstance(value, (dict, list)) and value)


def _hidden(write: Write) -> Write:
    inputs = (
        replace(each, value=mask(each.value), history=tuple(map(_hidden, each.history))) for each in write.made_of
    )
    return replace(write, value=mask(write.value), made_of=tuple(inputs))
