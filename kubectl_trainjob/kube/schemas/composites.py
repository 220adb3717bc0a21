"""Schema nodes of mappings and lists.

Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/schema (pruning, defaulting, listtype) and kube-openapi's object
and slice validators.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from kubectl_trainjob.kube.schemas.cel import CelRule, check_rules
from kubectl_trainjob.kube.schemas.flow import flow
from kubectl_trainjob.kube.schemas.messages import unknown_among
from kubectl_trainjob.kube.schemas.walk import SchemaNode, Walk
from kubectl_trainjob.model.message import Message, joined, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import DUPLICATE_LIST_KEY, INVALID_TYPE_OR_ENUM, MISSING_FIELD, UNKNOWN_FIELD

MakeNode = Callable[[int], SchemaNode]


class Composite(SchemaNode):
    """A mapping or a list. If the walk has a cache, a value that it accepted before is not walked again."""

    __slots__ = ("least", "most")
    kind: Any = object

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...]) -> None:
        super().__init__(schema, rules)
        self.least: int = schema.get("minItems", schema.get("minProperties", 0))
        self.most: int | None = schema.get("maxItems", schema.get("maxProperties"))

    def visit(self, value: Any, walk: Walk) -> Any:
        """The value with defaults; CEL rules run if there is no other problem below."""
        if type(value) is not self.kind:
            if value is not None or not self.nullable:
                self.reject_type(value, walk)
            return value
        cache = walk.cache
        if cache is not None and (known := cache.accepted.get(id(value))) is not None and known[1] is self:
            return known[2]
        problems, nulls = len(walk.problems), len(walk.nulls)
        completed = self.completed(value, walk)
        if len(completed) < self.least or (self.most is not None and len(completed) > self.most):
            walk.report(INVALID_TYPE_OR_ENUM, self._size_message(len(completed), walk))
        if len(walk.problems) == problems:
            if self.rules:
                walk.adopt(check_rules(self.rules, completed))
            if cache is not None and cache.is_growing and (len(walk.problems), len(walk.nulls)) == (problems, nulls):
                cache.accepted[id(value)] = (value, self, completed)
        return completed

    def completed(self, value: Any, walk: Walk) -> Any:
        """The value whose parts were checked and have defaults."""
        raise NotImplementedError

    def _size_message(self, size: int, walk: Walk) -> Message:
        one, many = (say("item"), say("items")) if self.kind is list else (say("entry"), say("entries"))
        items = one if size == 1 else many
        if size < self.least:
            return say("{} has {} {}; add more, at least {}", walk.field(), size, items, self.least)
        verb = Message("is" if self.most == 1 else "are")
        return say("{} has {} {}; at most {} {} allowed", walk.field(), size, items, self.most, verb)


class NamedFields(dict[str, SchemaNode]):
    """The fields of a mapping; each node is read from the packaged schema when it is first needed."""

    __slots__ = ("indexes", "make")

    def __init__(self, indexes: Mapping[str, int], make: MakeNode) -> None:
        super().__init__()
        self.indexes = indexes
        self.make = make

    def __missing__(self, key: str) -> SchemaNode | None:
        if key not in self.indexes:
            return None
        node = self[key] = self.make(self.indexes[key])
        return node


class MappingNode(Composite):
    """A mapping with named fields, or with entries that all have one schema (`entry`)."""

    __slots__ = ("defaults", "entry", "fields", "open", "required")
    expected = "object"
    kind = dict

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...], make: MakeNode) -> None:
        super().__init__(schema, rules)
        self.fields = NamedFields(schema.get("properties", {}), make)
        self.required: tuple[str, ...] = tuple(schema.get("required", ()))
        self.defaults: tuple[str, ...] = tuple(schema.get("defaulted", ()))
        entry = schema.get("additionalProperties")
        self.entry = make(entry) if entry is not None else None
        self.open: bool = schema.get("preserve-unknown-fields", False)

    def remedy(self, value: Any) -> Message:
        """The mapping of a name, or without a dash too many."""
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            return say('; remove the "-"')
        if value is True and not self.required and self.entry is None:
            return say("; write {}", "{}")
        written = self._meant_by(value) if isinstance(value, str) else None
        return say("; write {{}}", flow(written)) if written else Message()

    def _meant_by(self, text: str) -> Mapping[str, str] | None:
        """The mapping that users mean by a text: `NAME`, `NAME=VALUE` or a URI."""
        known = self.fields.indexes
        name, sign, value = text.partition("=")
        if sign and {"name", "value"} <= known.keys():
            return {"name": name, "value": value}
        if "storageUri" in known and "://" in text:
            return {"storageUri": text}
        return {"name": text} if "name" in known and {"name"}.issuperset(self.required) else None

    def completed(self, value: Any, walk: Walk) -> Any:
        """Unknown fields, nulls, each field, defaults, required fields."""
        fields, entry, trail = self.fields, self.entry, walk.trail
        completed = value
        for key, item in value.items():
            node = fields[key] or entry
            if node is None:
                self._report_unknown(key, walk)
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
        if self.required:
            self._check_required(completed, value, walk)
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

    def _check_required(self, completed: dict[str, Any], given: dict[str, Any], walk: Walk) -> None:
        for key in (each for each in self.required if each not in completed):
            walk.is_readable &= key != "name"
            if key in given:
                walk.nulls.remove(walk.pointer(key))
                walk.report(MISSING_FIELD, say("{} is null; set it", key), key, on="key")
            else:
                message = say("{} has no {}; add it", walk.field(), key)
                walk.report(MISSING_FIELD, message, key, on="key")

    def _report_unknown(self, key: str, walk: Walk) -> None:
        if not self.open:
            known = sorted(self.fields.indexes)
            near = nearest(key, known)
            meant = walk.pointer(near) if near else ()
            message = unknown_among(key, near, known)
            walk.problems.append(Problem(UNKNOWN_FIELD, walk.pointer(key), message, "key", meant=meant))


class ListNode(Composite):
    """A list. Items of a map differ in their `keys`, items of a set in their values."""

    __slots__ = ("item", "keys", "unique")
    expected = "array"
    kind = list

    def __init__(self, schema: Mapping[str, Any], rules: tuple[CelRule, ...], make: MakeNode) -> None:
        super().__init__(schema, rules)
        self.item = make(schema["items"])
        list_type = schema.get("list-type")
        self.keys: tuple[str, ...] = tuple(schema["list-map-keys"]) if list_type == "map" else ()
        self.unique = list_type == "set"

    def remedy(self, value: Any) -> Message:
        """The items of a mapping: itself, without its dash, or names with their values."""
        known = self.item.fields.indexes if isinstance(self.item, MappingNode) and isinstance(value, dict) else {}
        for first, own in (value if known else {}).items():
            if first in known:
                return say('; write "- " before "{}"', first)
            if {"name", "value"} <= known.keys() and not isinstance(own, dict | list):
                text = own if isinstance(own, str) else json.dumps(own)
                return say("; write each of its lines as an item: - {{}}", flow({"name": first, "value": text}))
        return Message()

    def completed(self, value: Any, walk: Walk) -> Any:
        """Each item, then the keys."""
        node, trail = self.item, walk.trail
        plain = node.plain
        completed = value
        mistyped = len(walk.mistyped)
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
        deepest_key = len(trail) + 2  # an item, or a field of it
        if len(completed) > 1 and all(len(each) > deepest_key for each in walk.mistyped[mistyped:]):
            self._check_keys(completed, walk)
        return completed

    def _check_keys(self, items: list[Any], walk: Walk) -> None:
        if len(self.keys) == 1:
            _report_duplicates([item.get(self.keys[0]) for item in items], self.keys, walk)
        elif self.keys:
            _report_duplicates([tuple(item.get(key) for key in self.keys) for item in items], self.keys, walk)
        elif self.unique:
            _report_duplicates([repr(item) if isinstance(item, dict | list) else item for item in items], (), walk)


def _report_duplicates(idents: list[Any], keys: tuple[str, ...], walk: Walk) -> None:
    # True == 1 in Python only; no list of the packaged schemas mixes them in one key.
    if len(set(idents)) == len(idents):
        return
    first: dict[Any, int] = {}
    reported: set[Any] = set()
    for index, ident in enumerate(idents):
        earlier = first.setdefault(ident, index)
        is_complete = None not in (ident if len(keys) > 1 else (ident,))  # a missing key is reported as missing
        if earlier != index and is_complete and ident not in reported:
            reported.add(ident)
            message = _duplicate(walk.field(), ident, keys)
            related = ((say("first one"), walk.pointer(earlier)),)
            walk.problems.append(Problem(DUPLICATE_LIST_KEY, walk.pointer(index), message, related=related))


def _duplicate(field: str, ident: Any, keys: tuple[str, ...]) -> Message:
    if not keys:
        return say('{} has the duplicate "{}"; remove one', field, ident)
    pairs = zip(keys, ident if len(keys) > 1 else (ident,), strict=True)
    return say(
        "{} has two items with {}; remove one", field, joined((say('{} "{}"', *pair) for pair in pairs), " and ")
    )
