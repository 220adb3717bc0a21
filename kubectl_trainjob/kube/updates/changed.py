"""The values that differ between two versions of an object, as a part of admission compares them.

`AS_STORED` mirrors how the API server's CEL rules compare (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel and
k8s.io/apiserver/pkg/cel/common/values.go): spellings count, the order of a list that is a map or a set does not.
`AS_DECODED` mirrors apiequality.Semantic.DeepEqual (k8s.io/apimachinery/pkg/api/equality) of two Go values, when both
are in canonical form (`api.types`): quantities count by their amount, and all lists have an order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.schemas.composites import List
from kubectl_trainjob.kube.schemas.scalars import Amount
from kubectl_trainjob.kube.updates.parts import WHOLE, Ends, Node, Part, members, parts
from kubectl_trainjob.model.source import ABSENT, Pointer


class Value(NamedTuple):
    """Where a value stands that differs: in the new object, in the old one if it `is_gone`."""

    pointer: Pointer
    is_gone: bool = False


class Equality(NamedTuple):
    """When two values are equal: `is_ordered` for lists with keys, `same_amount` for quantities."""

    is_ordered: bool
    same_amount: Callable[[Any, Any], bool]


def _same_spelling(old: Any, new: Any) -> bool:
    return bool(old == new)


def _same_amount(old: Any, new: Any) -> bool:
    return Quantity.parse(old) == Quantity.parse(new)


AS_STORED = Equality(is_ordered=False, same_amount=_same_spelling)
AS_DECODED = Equality(is_ordered=True, same_amount=_same_amount)


def changed(old: Any, new: Any, node: Node | None, equality: Equality, ends: Ends = WHOLE) -> Iterator[Value]:
    """The smallest values that differ: one that only one side has, or a list whose members are in another order.

    `ends` is where the two values stand.
    """
    return _changed(Part(old, new, node, ends), equality)


def _changed(part: Part, equality: Equality) -> Iterator[Value]:
    old, new, node, ends = part
    if old == new:
        return
    inner = parts(old, new, node, ends)
    if inner is None:
        if old is ABSENT or new is ABSENT or not (isinstance(node, Amount) and equality.same_amount(old, new)):
            yield Value(ends.new, ends.is_gone)
        return
    for each in inner:
        yield from _changed(each, equality)
    if equality.is_ordered and isinstance(node, List) and _is_rearranged(old, new, node):
        yield Value(ends.new, ends.is_gone)


def _is_rearranged(old: list[Any], new: list[Any], node: List) -> bool:
    known, given = members(old, node), members(new, node)
    if known is None or given is None:
        return False
    return [each for each in known if each in given] != [each for each in given if each in known]
