"""Shapes of mappings that no packaged schema describes: unknown, missing and mistyped values, each at its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Union

from kubectl_trainjob.kube.schemas.messages import invalid_type, unknown_field
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import OME_FIELD, Rule
from kubectl_trainjob.model.source import Place, Pointer, show_pointer

Shape = Union[str, "Keys", "Items", "Entries"]
"""A type of JSON, "any" for all of them, or the shape of a mapping or a list."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


class Keys(NamedTuple):
    """A mapping with these keys, and others if it `is_open`; `advice` says what to write in place of some others."""

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    is_open: bool = False
    advice: Mapping[str, str] = {}


class Items(NamedTuple):
    """A list."""

    item: Shape


class Entries(NamedTuple):
    """A mapping with any keys."""

    value: Shape


class Checker(NamedTuple):
    """Checks the values of one document; `base` is the place of the value at the empty pointer."""

    base: Place
    rule: Rule = OME_FIELD

    def check(self, value: Any, shape: Shape, pointer: Pointer = ()) -> Iterator[Diagnostic]:
        """Every error of a value without nulls."""
        expected = shape if isinstance(shape, str) else "array" if isinstance(shape, Items) else "object"
        if not _is_of(value, expected):
            yield self._finding(invalid_type(self._name(pointer), expected, value), pointer)
        elif isinstance(shape, Keys):
            yield from self._keys(value, shape, pointer)
        elif isinstance(shape, Items):
            for index, item in enumerate(value):
                yield from self.check(item, shape.item, (*pointer, index))
        elif isinstance(shape, Entries):
            for key, entry in value.items():
                yield from self.check(entry, shape.value, (*pointer, key))

    def _keys(self, value: dict[str, Any], shape: Keys, pointer: Pointer) -> Iterator[Diagnostic]:
        for key in shape.required:
            if key not in value:
                name = self._name(pointer)
                message = say("{} has no {}; add it", name, key) if name else say("{} is missing; add it", key)
                yield self._finding(message, pointer)
        for key, entry in value.items():
            if key in shape.fields:
                yield from self.check(entry, shape.fields[key], (*pointer, key))
            elif not shape.is_open:
                yield self._finding(_unknown(key, shape), (*pointer, key), on_key=True)

    def _name(self, pointer: Pointer) -> str:
        return show_pointer((*self.base.pointer, *pointer))

    def _finding(self, message: Message, pointer: Pointer, *, on_key: bool = False) -> Diagnostic:
        place = self.base.child(*pointer)
        return Diagnostic(self.rule, message, place.key() if on_key else place)


def _unknown(key: str, shape: Keys) -> Message:
    if key in shape.advice:
        return say('field "{}" does not exist in this dialect; write {}', key, shape.advice[key])
    return unknown_field(key, sorted(shape.fields))


def _is_of(value: Any, expected: str) -> bool:
    if expected == "any":
        return True
    return isinstance(value, _TYPES[expected]) and (expected == "boolean" or not isinstance(value, bool))


def without_nulls(value: Any) -> Any:
    """The same data without the keys whose values are null: an explicit null is the same as an absent key."""
    if isinstance(value, dict):
        return {key: without_nulls(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value
