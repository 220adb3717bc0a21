"""The parts of two values in pairs, as their schema correlates them, and the values that differ.

Mirrors k8s.io/apiextensions-apiserver/pkg/registry/customresource (a default replaces an absent value, nulls are
absent) and pkg/apiserver/schema/cel (members of a list that is a map are the same if their keys are).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.scalars import Amount
from kubectl_trainjob.kube.schemas.walk import SchemaNode
from kubectl_trainjob.model.source import ABSENT, Pointer


class PairedPart(NamedTuple):
    """A part of two values, and its place in each; `node` is None if the schema does not have it.

    If only one value has the part, both places are that one; the part `is_gone` if only the old value has it.
    """

    old: Any
    new: Any
    node: SchemaNode | None
    old_at: Pointer = ()
    new_at: Pointer = ()
    is_gone: bool = False


class ChangedValue(NamedTuple):
    """The place of a value that differs: in the new object, in the old one if it `is_gone`."""

    pointer: Pointer
    is_gone: bool = False


class Equality(NamedTuple):
    """When two values are equal: `is_ordered` for lists with keys, `by_amount` for quantities."""

    is_ordered: bool
    by_amount: bool


AS_STORED = Equality(is_ordered=False, by_amount=False)
"""How the API server's CEL rules compare: spellings matter, the order of a list that is a map or a set does not.

Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel and k8s.io/apiserver/pkg/cel/common/values.go.
"""
AS_DECODED = Equality(is_ordered=True, by_amount=True)
"""How Go compares two values in canonical form (`kube.facts.types`): quantities by their amount, all lists in order.

Mirrors apiequality.Semantic.DeepEqual (k8s.io/apimachinery/pkg/api/equality).
"""


def changed_values(part: PairedPart, equality: Equality) -> Iterator[ChangedValue]:
    """The smallest values that differ: one that only one side has, or a list whose members are in another order."""
    old, new, node = part[:3]
    if old == new:
        return
    inner = parts(part)
    if inner is None:
        is_amount = equality.by_amount and isinstance(node, Amount) and old is not ABSENT and new is not ABSENT
        if not (is_amount and Quantity.parse(old) == Quantity.parse(new)):
            yield ChangedValue(part.new_at, part.is_gone)
        return
    for each in inner:
        yield from changed_values(each, equality)
    if equality.is_ordered and isinstance(node, ListNode) and _is_rearranged(old, new, node):
        yield ChangedValue(part.new_at, part.is_gone)


def _is_rearranged(old: list[Any], new: list[Any], node: ListNode) -> bool:
    known, given = members(old, node), members(new, node)
    if known is None or given is None:
        return False
    return [each for each in known if each in given] != [each for each in given if each in known]


def parts(part: PairedPart) -> Iterator[PairedPart] | None:
    """The parts that either of two mappings or lists has, those of the new one first; None for other values."""
    old, new, node = part[:3]
    if isinstance(node, MappingNode) and isinstance(old, dict) and isinstance(new, dict):
        return _fields(part, node)
    if not (isinstance(node, ListNode) and isinstance(old, list) and isinstance(new, list)):
        return None
    known, given = members(old, node), members(new, node)
    pairs = _by_position(old, new) if known is None or given is None else _by_key(known, given)
    item = node.item
    return (_item(part, item, before, after) for before, after in pairs)


def members(items: list[Any], node: ListNode) -> dict[Any, int] | None:
    """The index of each member by its key; None for a list that is neither a map nor a set."""
    if not (node.keys or node.unique):
        return None
    found = {_identity(item, node): index for index, item in enumerate(items)}
    return found if len(found) == len(items) else None


def _identity(item: Any, node: ListNode) -> Any:
    if not isinstance(node.item, MappingNode):
        return repr(item)
    fields = node.item.fields
    return tuple(_present(item, key, fields[key]) for key in node.keys)


def _fields(part: PairedPart, node: MappingNode) -> Iterator[PairedPart]:
    old, new = part.old, part.new
    for key in dict.fromkeys((*new, *old)):
        named = node.fields[key]
        before, after = _present(old, key, named), _present(new, key, named)
        if before is not after:
            is_gone, is_added = new.get(key) is None, old.get(key) is None
            old_at, new_at = (*part.old_at, key), (*part.new_at, key)
            places = (old_at, old_at) if is_gone else (new_at, new_at) if is_added else (old_at, new_at)
            yield PairedPart(before, after, named or node.entry, *places, is_gone)


def _present(value: Mapping[str, Any], key: str, named: SchemaNode | None) -> Any:
    found = value.get(key)
    if found is None and named is not None:
        found = named.default
    return ABSENT if found is None else found


def _by_key(known: Mapping[Any, int], given: Mapping[Any, int]) -> Iterator[tuple[int | None, int | None]]:
    yield from ((known.get(key), index) for key, index in given.items())
    yield from ((index, None) for key, index in known.items() if key not in given)


def _by_position(old: list[Any], new: list[Any]) -> Iterator[tuple[int | None, int | None]]:
    """The items between the common start and the common end of both lists."""
    shortest = min(len(old), len(new))
    first = next((index for index in range(shortest) if old[index] != new[index]), shortest)
    rest = shortest - first
    last = next((index for index in range(rest) if old[-1 - index] != new[-1 - index]), rest)
    return zip_longest(range(first, len(old) - last), range(first, len(new) - last))


def _item(part: PairedPart, node: SchemaNode, before: int | None, after: int | None) -> PairedPart:
    if before is None:
        assert after is not None
        at: Pointer = (*part.new_at, after)
        return PairedPart(ABSENT, part.new[after], node, at, at)
    if after is None:
        at = (*part.old_at, before)
        return PairedPart(part.old[before], ABSENT, node, at, at, is_gone=True)
    return PairedPart(part.old[before], part.new[after], node, (*part.old_at, before), (*part.new_at, after))
