"""What is known of a value by its position in an object: the keys of a list's items, and which values are quantities.

Keys are those of `kube.facts.merge_keys`, as in the paths of `explain`; an unknown list of mappings has the key `name`
if all items have one. Quantities are those of the Go types (`kube.facts.types`). Kinds without a Go type have
them in the places of Kubernetes, Kueue and the schedulers. Resources are known by their names. Nothing else counts as a
quantity: a real change must be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from kubectl_trainjob.kube.facts.kinds import KindRole, kinds_with
from kubectl_trainjob.kube.facts.merge_keys import PLAIN, Merging, merging_of
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.facts.types import Field, field
from kubectl_trainjob.model.stages import Body

Key = tuple[str | int, ...]
"""What identifies an item of a list."""

_DEFAULTS = {"protocol": "TCP"}
_NAMING = ("name", "key", "type", "action")

_TYPES = {
    (f"{kind.group}/{kind.version}", kind.name): f"{kind.group.partition('.')[0]}/{kind.version}.{kind.name}"
    for kind in kinds_with(KindRole.TRAINING_JOB, KindRole.RUNTIME, KindRole.JOB_SET)
}
"""Go types by apiVersion and kind, for `kube.facts.types`: `jobset/v1alpha2.JobSet`."""

_RESOURCES = frozenset(("cpu", "memory", "storage", "ephemeral-storage", "pods"))


def _is_resource(name: str) -> bool:
    """Whether the resource is one of Kubernetes, with or without a prefix (`requests.cpu`), or has a domain."""
    name = name.removeprefix("requests.").removeprefix("limits.")
    return name in _RESOURCES or "/" in name or name.startswith("hugepages-")


_RESOURCE_LISTS = ("requests", "limits", "capacity", "allocatable", "overhead", "hard", "minResources")
_QUOTAS = frozenset(("nominalQuota", "borrowingLimit", "lendingLimit"))  # of each of Kueue's `resources`
_AMOUNTS: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(_RESOURCE_LISTS, _is_resource),
    "resources": _QUOTAS.__contains__,
    "emptyDir": frozenset(("sizeLimit",)).__contains__,
    "resourceFieldRef": frozenset(("divisor",)).__contains__,
}
"""The entries that are quantities, by the key above them, in kinds without a Go type."""


class Shape:
    """What is known of a value: how it is merged, its Go type or else the key above it, whether it is a quantity."""

    __slots__ = ("_below", "_each", "_merging", "_type", "_under", "is_quantity")

    def __init__(
        self, merging: Merging = PLAIN, go_type: Field | None = None, under: str = "", *, is_quantity: bool = False
    ) -> None:
        self._merging = merging
        self._type = go_type
        self._under = under
        self.is_quantity = is_quantity
        self._each: Shape | None = None
        self._below: dict[str, Shape] = {}

    def below(self, key: str) -> Shape:
        """What is known of the value of one entry."""
        if self._type is not None and self._type.kind == "map":
            return self.member()
        known = self._below.get(key)
        if known is None:
            known = self._entry(key)
            if known is not UNKNOWN:
                self._below[key] = known  # only keys that the facts name: there are not many
        return known

    def member(self) -> Shape:
        """What is known of each item of a list."""
        if self._each is None:
            merging = Merging(self._merging.fields) if self._merging.fields else PLAIN
            elem = self._type.elem if self._type else None
            self._each = Shape(merging, under=self._under) if self._under else _shape(merging, elem)
        return self._each

    def _entry(self, key: str) -> Shape:
        merging, go_type = self._merging.below(key), self._field(key)
        if go_type is not None:
            return _shape(merging, go_type)
        if self._under and _AMOUNTS[self._under](key):
            return _QUANTITY
        under = key if key in _AMOUNTS else ""
        return Shape(merging, under=under) if under or merging is not PLAIN else UNKNOWN

    def _field(self, key: str) -> Field | None:
        """The Go type of an entry; None if the struct has no such field, which another Trainer version may have."""
        return field(self._type.of, key) if self._type and self._type.kind == "struct" else None

    def keys(self, items: Sequence[Any]) -> list[Key] | None:
        """The keys of a list's items; None if one has no key or two have the same one."""
        names = self._merging.keys
        found: list[tuple[Any, ...]]
        found = [(item,) for item in items] if names == () else [_key(item, names or ("name",)) for item in items]
        if not all(found) or not all(type(part) in (str, int) for key in found for part in key):
            return None
        return found if len(set(found)) == len(found) else None


UNKNOWN = Shape()
_QUANTITY = Shape(is_quantity=True)
_roots: dict[tuple[str, str], Shape] = {}


def shape_of(body: Body) -> Shape:
    """What is known of objects of this apiVersion and kind."""
    kind = str(body.get("apiVersion")), str(body.get("kind"))
    known = _roots.get(kind)
    if known is None:
        merging, type_name = merging_of(*kind), _TYPES.get(kind)
        if merging is None and type_name is None:
            return UNKNOWN
        known = _roots[kind] = Shape(merging or PLAIN, Field(type_name) if type_name else None)
    return known


def _shape(merging: Merging, go_type: Field | None) -> Shape:
    if go_type is None:
        return Shape(merging) if merging is not PLAIN else UNKNOWN
    return _QUANTITY if go_type.kind == "quantity" else Shape(merging, go_type)


def _key(item: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """An item's key; () if a part of it is missing."""
    if not isinstance(item, dict):
        return ()
    parts = [item.get(name, _DEFAULTS.get(name)) for name in names]
    return () if any(part in (None, "") for part in parts) else tuple(parts)


def are_same(old: Any, new: Any, shape: Shape) -> bool:
    """Whether two values, not both mappings or both lists, are equal to Kubernetes.

    Numbers are compared by value, because JSON has only one kind of numbers. A boolean or a text never equals a number,
    also if the API accepts both (`port: "80"` is a port's name). Quantities are compared by amount.
    """
    if old == new and (type(old) is type(new) or (_is_number(old) and _is_number(new))):
        return True
    return shape.is_quantity and _amount(old) is not None and _amount(old) == _amount(new)


def token(value: Any, shape: Shape) -> Hashable:
    """Equal for two values if and only if they do not differ."""
    if isinstance(value, dict):
        return frozenset((key, token(entry, shape.below(key))) for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        member = shape.member()
        return tuple(token(item, member) for item in value)
    amount = _amount(value) if shape.is_quantity else None
    if amount is not None:
        return amount
    return (bool, value) if isinstance(value, bool) else value


def likeness(value: Any) -> Hashable:
    """Equal for two items of a list if one is probably an edit of the other. An example is the name of an option."""
    if isinstance(value, str):
        return value.partition("=")[0]
    if not isinstance(value, Mapping):
        return None
    metadata = value.get("metadata")
    named = {**metadata, **value} if isinstance(metadata, Mapping) else value
    return next(((name, named[name]) for name in _NAMING if isinstance(named.get(name), str)), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _amount(value: Any) -> Quantity | None:
    """The amount of a quantity, None for other values; decoding trims blanks."""
    if not isinstance(value, str) and not _is_number(value):
        return None
    try:
        return Quantity.parse(value.strip(" ") if isinstance(value, str) else value)
    except QuantityError:
        return None
