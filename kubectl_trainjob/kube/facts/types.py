"""The Go structs of manifests, and what Go prints after it decoded a value into one of them.

`data/go_types.json` has the facts, printed by reflection from the upstream modules (`python -m
tests.unit.kube.facts.go_types`): for each struct its fields as "[!][*]TYPE[ strategy[ mergeKey]]", where ! says that Go
prints the field even when it is zero, and * that it is a pointer. TYPE is a scalar kind, a struct's name, []TYPE or
{}TYPE. `trainer-2.1/v1alpha1.…` is a struct that only that release has.

Mirrors encoding/json, k8s.io/apimachinery/pkg/runtime (ToUnstructured) and the generated apply configurations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container
from functools import cache
from operator import is_
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.quantity import canonical as canonical_quantity

_INTEGERS = frozenset(("int", "int8", "int32", "int64", "uint32"))
_SCALARS: dict[str, Any] = {
    "string": "",
    "bool": False,
    "intOrString": 0,
    "quantity": "0",
    **dict.fromkeys(_INTEGERS, 0),
}
_OMITTED: Any = object()


class Field:
    """A struct's field, or the element of a list or map.

    `kind` is struct (named by `of`), list or map (of `elem`), quantity, intOrString, string, bool, int32, time …;
    `keep` says that Go prints the field when it is zero; `strategy` ("merge", "merge,retainKeys", "") and `merge_key`
    are those of a strategic merge.
    """

    __slots__ = ("elem", "keep", "kind", "merge_key", "of", "pointer", "strategy")

    def __init__(self, text: str) -> None:
        type_name, _, patch = text.partition(" ")
        self.strategy, _, self.merge_key = patch.partition(" ")
        self.keep = type_name.startswith("!")
        type_name = type_name.removeprefix("!")
        self.pointer = type_name.startswith("*")
        type_name = type_name.removeprefix("*")
        self.of = ""
        self.elem: Field | None = None
        if type_name.startswith(("[]", "{}")):
            self.kind = "list" if type_name[0] == "[" else "map"
            self.elem = Field(type_name[2:])
        elif "." in type_name:
            self.kind = "struct"
            self.of = type_name
        else:
            self.kind = type_name


class _Struct(NamedTuple):
    """A struct's fields by name, and those that are printed although absent."""

    fields: dict[str, Field]
    kept: tuple[tuple[str, Field], ...]


@cache
def _facts() -> dict[str, dict[str, str]]:
    # The module's own data, next to it wherever the package is installed.
    with open(__file__.removesuffix("types.py") + "data/go_types.json", encoding="utf-8") as file:
        facts: dict[str, dict[str, str]] = json.load(file)
    return facts


@cache
def _struct(type_name: str) -> _Struct:
    fields = {name: Field(text) for name, text in _facts()[type_name].items()}
    return _Struct(fields, tuple((name, each) for name, each in fields.items() if each.keep))


def field(type_name: str, name: str) -> Field | None:
    """The field that the struct calls `name`, None if it has none. Raises KeyError for an unknown struct."""
    return _struct(type_name).fields.get(name)


class _Style(NamedTuple):
    """How to write: with or without nulls, and the ids of containers that are canonical already."""

    nulls: bool = False
    known: Container[int] = ()


_APPLIED = _Style()
_MARSHALLED = _Style(nulls=True)


def canonical(value: Any, type_name: str, known: Container[int] = ()) -> Any:
    """`value` as it is applied: decoded into the struct, and written through the apply configuration.

    Without unknown fields, nulls, empty lists and maps, and the values that `omitempty` omits; with structs that are
    not pointers, and fields without `omitempty`. Quantities are canonical. Unchanged parts are the same objects. Values
    of an invalid type are kept, because admission rejects them. Raises QuantityError.

    `known` has the ids of containers that an earlier call returned (see `container_ids`), which are skipped.
    """
    return _canonical_struct(value, type_name, _Style(known=known) if known else _APPLIED)


def container_ids(value: Any) -> frozenset[int]:
    """The ids of all containers of a canonical value; valid while the value exists."""
    found: set[int] = set()
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (dict, list)):
            found.add(id(each))
            waiting.extend(each.values() if isinstance(each, dict) else each)
    return frozenset(found)


def marshal(value: Any, type_name: str) -> Any:
    """`value` as encoding/json writes the decoded struct: as `canonical`, except fields without `omitempty`.

    An absent list or time of these is null, which deletes the field in a merge patch. An empty list is kept.
    """
    return _canonical_struct(value, type_name, _MARSHALLED)


def _canonical_struct(value: Any, type_name: str, how: _Style) -> Any:
    if not isinstance(value, dict) or id(value) in how.known:
        return value
    struct = _struct(type_name)
    changed: dict[str, Any] | None = None
    for name, old in value.items():
        each = struct.fields.get(name)
        new = _OMITTED if each is None or old is None else _canonical_field(old, each, how)
        if new is not old:
            if changed is None:
                changed = dict(value)
            if new is _OMITTED:
                del changed[name]
            else:
                changed[name] = new
    result = value if changed is None else changed
    for name, each in struct.kept:
        if name not in result:
            zero = _zero(each, how)
            if zero is not _OMITTED:
                result = changed = dict(value) if changed is None else changed
                changed[name] = zero
    return result


def _canonical_field(value: Any, each: Field, how: _Style) -> Any:
    new = _canonical_value(value, each, how)
    if each.pointer:
        return new
    if each.kind == "struct":
        return new if each.keep or new != _zero(each, how) else _OMITTED
    if each.kind in ("list", "map"):
        return new if new or (each.keep and how.nulls) else _OMITTED
    return new if new or each.keep else _OMITTED


def _canonical_value(value: Any, each: Field, how: _Style) -> Any:
    rule = _RULES.get(each.kind)
    return value if rule is None else rule(value, each, how)


def _canonical_list(value: Any, each: Field, how: _Style) -> Any:
    if not isinstance(value, list) or id(value) in how.known:
        return value
    new = [_element(item, each, how) for item in value]
    return value if all(map(is_, new, value)) else new


def _canonical_map(value: Any, each: Field, how: _Style) -> Any:
    if not isinstance(value, dict) or id(value) in how.known:
        return value
    new = {key: _element(item, each, how) for key, item in value.items()}
    return value if all(map(is_, new.values(), value.values())) else new


def _element(item: Any, each: Field, how: _Style) -> Any:
    assert each.elem is not None
    return _zero(each.elem, how) if item is None else _canonical_value(item, each.elem, how)


def _zero(each: Field, how: _Style) -> Any:
    """What Go prints for the zero value of a field without `omitempty`."""
    if each.kind != "struct" or each.pointer:
        missing = None if how.nulls else _OMITTED
        return missing if each.pointer else _SCALARS.get(each.kind, missing)
    return _empty(each.of, how.nulls)


@cache
def _empty(type_name: str, nulls: bool) -> dict[str, Any]:
    empty: dict[str, Any] = _canonical_struct({}, type_name, _Style(nulls))
    return empty


_Rule = Callable[[Any, Field, _Style], Any]
_RULES: dict[str, _Rule] = {
    "struct": lambda value, each, how: _canonical_struct(value, each.of, how),
    "list": _canonical_list,
    "map": _canonical_map,
    "quantity": lambda value, _each, _how: canonical_quantity(value),
    **dict.fromkeys(_INTEGERS, lambda value, _each, _how: int(value) if isinstance(value, float) else value),
}
