"""The history of one value of an object, and of all values below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from kubectl_trainjob.explain.history import HistoryBuilder, Write, inputs_of
from kubectl_trainjob.explain.path import NameCache, show
from kubectl_trainjob.explain.target import FoundObject
from kubectl_trainjob.kube.facts.masking import is_secret_kind, mask, value_without_secrets, without_secrets
from kubectl_trainjob.model.source import Origin, Pointer, leaves, value_at
from kubectl_trainjob.model.stages import COUNTS


class TracedField(NamedTuple):
    """A value without anything below it, and its history, the newest write first."""

    pointer: Pointer
    value: Any
    history: tuple[Write, ...]


class TracedFields:
    """The values of one object; those of a Secret or of a former Secret, and secrets in `env`, are masked."""

    def __init__(self, found: FoundObject) -> None:
        self.identity = found.object.identity
        self._draft, self._former = found.object.draft, found.object.former
        self._historian = HistoryBuilder(inputs_of(found.job) if found.job else {})
        kinds = found.object.identity.kind, *(write.value for write in self._history(("kind",)))
        self.is_secret = any(map(is_secret_kind, kinds))
        self.body: Any = (mask if self.is_secret else without_secrets)(self._draft.value)
        self._cache: NameCache = {}

    def path(self, pointer: Pointer) -> str:
        """The pointer as users write it."""
        return show(self.body, pointer, self._cache)

    def field(self, pointer: Pointer) -> TracedField:
        """The value at `pointer` and its history."""
        shown = partial(self._mask_value, pointer)
        shown_input = partial(self._mask_value, ("data",)) if self.is_secret else shown
        history = tuple(_mask_write(write, shown, shown_input) for write in self._history(pointer))
        return TracedField(pointer, self._mask_value(pointer, self._draft.get(*pointer)), history)

    def _mask_value(self, pointer: Pointer, value: Any) -> Any:
        """A current or previous value at `pointer`."""
        if self.is_secret:
            return mask(value, pointer)
        return value_without_secrets(value, self._draft.value, pointer)

    def below(self, pointer: Pointer) -> Iterator[TracedField]:
        """Every value without anything below it, at `pointer` or below, in the object's order."""
        yield from (self.field(leaf) for leaf, _ in leaves(self._draft.get(*pointer), pointer))

    def _history(self, pointer: Pointer) -> tuple[Write, ...]:
        origin = self._draft.origin(pointer)
        assert origin is not None
        former = self._overridden(pointer, origin)
        if former is not None:
            origin = replace(origin, over=former)
        return self._historian.history(origin)

    def _overridden(self, pointer: Pointer, origin: Origin) -> Origin | None:
        """The value that the counts of the TrainJob override; None for words of a command, whose number may differ."""
        if self._former is None or not _is_counted(origin) or "command" in pointer:
            return None
        former = self._former.origin(pointer) if self._former.get(*pointer) is not None else None
        return former if former and former.step == origin.step else None


def _is_counted(origin: Origin) -> bool:
    """Whether a value was computed from a count of the TrainJob."""
    counts = {("spec", "trainer", field) for field in COUNTS}
    return origin.place is None and any(cause.pointer[:3] in counts for cause in origin.causes)


def is_leaf(body: Any, pointer: Pointer) -> bool:
    """Whether a value has no other values below."""
    value = value_at(body, pointer)
    return not (isinstance(value, (dict, list)) and value)


def _mask_write(write: Write, shown: Callable[[Any], Any], shown_input: Callable[[Any], Any]) -> Write:
    inputs = tuple(
        each._replace(
            value=shown_input(each.value),
            history=tuple(_mask_write(older, shown_input, shown_input) for older in each.history),
        )
        for each in write.made_of
    )
    return write._replace(value=shown(write.value), made_of=inputs)
