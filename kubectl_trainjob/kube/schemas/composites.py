"""Schema nodes of mappings and lists.

Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/schema (pruning, defaulting, listtype) and kube-openapi's object
and slice validators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kubectl_trainjob.kube.schemas.cel import CelRule, broken
from kubectl_trainjob.kube.schemas.messages import quoted, unknown_field, wrong_type
from kubectl_trainjob.kube.schemas.scalars import Scalar
from kubectl_trainjob.kube.schemas.walk import Walk
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import DUPLICATE_LIST_KEY, INVALID_TYPE_OR_ENUM, MISSING_FIELD, UNKNOWN_FIELD


class Composite:
    """A mapping or a list: what was accepted once is not walked again when the walk has a memo.

    `immutable` is what the server says to an update that changes the value, "" where it may change.
    """

    __slots__ = ("default", "immutable", "least", "most", "nullable", "plain", "rules")
    expected = ""
    kind: Any = object

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        self.default = schema.get("default")
        self.immutable: str = schema.get("immutable", "")
        self.nullable: bool = schema.get("nullable", False)
        self.rules = rules
        self.plain: type = object
        self.least: int = 0
        self.most: int | None = None

    def visit(self, value: Any, walk: Walk) -> Any:
        """The value with defaults; CEL rules run where nothing else is wrong below."""
        if type(value) is not self.kind:
            if value is not None or not self.nullable:
                walk.is_readable = False
                walk.report(INVALID_TYPE_OR_ENUM, wrong_type(walk.field(), self.expected, value))
            return value
        memo = walk.memo
        if memo is not None and (known := memo.known.get(id(value))) is not None and known[1] is self:
            return known[2]
        problems, nulls = len(walk.problems), len(walk.nulls)
        completed = self.complete(value, walk)
        if len(completed) < self.least or (self.most is not None and len(completed) > self.most):
            walk.report(INVALID_TYPE_OR_ENUM, self._size_message(len(completed), walk))
        if len(walk.problems) == problems:
            if self.rules:
                walk.adopt(broken(self.rules, completed))
            if memo is not None and memo.learning and (len(walk.problems), len(walk.nulls)) == (problems, nulls):
                memo.known[id(value)] = (value, self, completed)
        return completed

    def complete(self, value: Any, walk: Walk) -> Any:
        """Judge the parts; the value with their defaults."""
        raise NotImplementedError

    def _size_message(self, size: int, walk: Walk) -> str:
        what = "items" if self.kind is list else "entries"
        if size < self.least:
            return f"{walk.field()} has {size} {what}; at least {self.least} must be there"
        return f"{walk.field()} has {size} {what}; at most {self.most} are allowed"


class Fields(dict[str, "Scalar | Composite"]):
    """The fields of a mapping, made from the packaged schema when they are first met."""

    __slots__ = ("indexes", "make")

    def __init__(self, indexes: Mapping[str, int], make: Callable[[int], Scalar | Composite]) -> None:
        super().__init__()
        self.indexes = indexes
        self.make = make

    def __missing__(self, key: str) -> Scalar | Composite | None:
        index = self.indexes.get(key)
        if index is None:
            return None
        node = self[key] = self.make(index)
        return node


class Object(Composite):
    """A mapping with named fields, or with entries that all have one schema (`entry`)."""

    __slots__ = ("defaults", "entry", "fields", "open", "required")
    expected = "object"
    kind = dict

    def __init__(
        self, schema: Mapping[str, Any], rules: tuple[CelRule, ...], make: Callable[[int], Scalar | Composite]
    ) -> None:
        super().__init__(schema, rules)
        self.fields = Fields(schema.get("properties", {}), make)
        self.required: tuple[str, ...] = tuple(schema.get("required", ()))
        self.defaults: tuple[str, ...] = tuple(schema.get("defaulted", ()))
        entry = schema.get("additionalProperties")
        self.entry = make(entry) if entry is not None else None
        self.open: bool = schema.get("preserve-unknown-fields", False)
        self.least = schema.get("minProperties", 0)
        self.most = schema.get("maxProperties")

    def complete(self, value: Any, walk: Walk) -> Any:
        """Unknown fields, nulls, each field, defaults, required fields."""
        fields, entry, trail = self.fields, self.entry, walk.trail
        completed = value
        for key, item in value.items():
            node = fields[key] or entry
            if node is None:
                self._unknown(key, walk)
                continue
            if type(item) is node.plain:
                continue
            if item is None and not node.nullable:
                walk.nulls.append(walk.pointer(key))
                completed = {name: kept for name, kept in completed.items() if name != key}
                continue
            trail.append(key)
            new = node.visit(item, walk)
            trail.pop()
            if new is not item:
                if completed is value:
                    completed = dict(value)
                completed[key] = new
        if self.defaults:
            completed = self._with_defaults(completed, value, walk)
        self._require(completed, walk)
        return completed

    def _with_defaults(self, completed: dict[str, Any], given: dict[str, Any], walk: Walk) -> dict[str, Any]:
        for key in self.defaults:
            if key not in completed:
                if completed is given:
                    completed = dict(given)
                node = self.fields[key]
                walk.trail.append(key)
                completed[key] = node.visit(node.default, walk)
                walk.trail.pop()
        return completed

    def _require(self, completed: dict[str, Any], walk: Walk) -> None:
        for key in self.required:
            if key not in completed:
                on_key = bool(walk.trail) and isinstance(walk.trail[-1], str)
                walk.is_readable &= key != "name"
                walk.report(MISSING_FIELD, f"{walk.field()} has no {key}; add it", on="key" if on_key else "value")

    def _unknown(self, key: str, walk: Walk) -> None:
        if self.open:
            return
        known = sorted(self.fields.indexes)
        walk.report(UNKNOWN_FIELD, unknown_field(key, nearest(key, known), known), key, on="key")


class List(Composite):
    """A list; as a map its items are told apart by `keys`, as a set by themselves."""

    __slots__ = ("item", "keys", "unique")
    expected = "array"
    kind = list

    def __init__(
        self, schema: Mapping[str, Any], rules: tuple[CelRule, ...], make: Callable[[int], Scalar | Composite]
    ) -> None:
        super().__init__(schema, rules)
        self.item = make(schema["items"])
        list_type = schema.get("list-type")
        self.keys: tuple[str, ...] = tuple(schema["list-map-keys"]) if list_type == "map" else ()
        self.unique = list_type == "set"
        self.least = schema.get("minItems", 0)
        self.most = schema.get("maxItems")

    def complete(self, value: Any, walk: Walk) -> Any:
        """Each item, then the keys."""
        node, trail = self.item, walk.trail
        plain = node.plain
        completed = value
        before = len(walk.problems)
        for index, item in enumerate(value):
            if type(item) is plain:
                continue
            given = node.default if item is None and not node.nullable else item
            trail.append(index)
            new = node.visit(given, walk)
            trail.pop()
            if new is not item:
                if completed is value:
                    completed = list(value)
                completed[index] = new
        if len(completed) > 1 and len(walk.problems) == before:
            self._check_keys(completed, walk)
        return completed

    def _check_keys(self, items: list[Any], walk: Walk) -> None:
        if len(self.keys) == 1:
            key = self.keys[0]
            _report_duplicates([item.get(key) for item in items], self.keys, walk)
        elif self.keys:
            _report_duplicates([tuple(item.get(key) for key in self.keys) for item in items], self.keys, walk)
        elif self.unique:
            _report_duplicates([_comparable(item) for item in items], (), walk)


def _report_duplicates(idents: list[Any], keys: tuple[str, ...], walk: Walk) -> None:
    # True == 1 in Python only; no list of the packaged schemas mixes them in one key.
    if len(set(idents)) == len(idents):
        return
    first: dict[Any, int] = {}
    reported: set[Any] = set()
    for index, ident in enumerate(idents):
        earlier = first.setdefault(ident, index)
        if earlier == index or ident in reported:
            continue
        reported.add(ident)
        walk.problems.append(_duplicate(index, earlier, ident, keys, walk))


def _duplicate(index: int, earlier: int, ident: Any, keys: tuple[str, ...], walk: Walk) -> Problem:
    values: Iterable[Any] = ident if len(keys) > 1 else (ident,)
    shown = " and ".join(f"{key} {quoted(value)}" for key, value in zip(keys, values, strict=False)) or quoted(ident)
    message = (
        f"{walk.field()} has two items with {shown}; keep one"
        if keys
        else f"{walk.field()} has {shown} twice; keep one"
    )
    return Problem(DUPLICATE_LIST_KEY, walk.pointer(index), message, related=(("first one", walk.pointer(earlier)),))


def _comparable(item: Any) -> Any:
    return repr(item) if isinstance(item, dict | list) else item
