"""Refusals gathered from the parts of admission: each value once a state, the states in their order.

Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel (validator.validate with an old object) for the rules of
the packaged CRDs that check updates. Such a rule is checked where both versions have the value, and only where mappings
and lists with keys lead to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.kube.schemas.composites import List, Object
from kubectl_trainjob.kube.updates.changed import AS_STORED, Value, changed
from kubectl_trainjob.kube.updates.parts import WHOLE, Part, parts
from kubectl_trainjob.kube.updates.verdict import STATES, Refusal, State, Verdict
from kubectl_trainjob.model.source import ABSENT, Pointer, show_pointer
from kubectl_trainjob.model.stages import Body

EMPTIED = 'in body must be of type object: "null"; server-side apply empties the mapping, leave it out'
"""What is said of a mapping that became null."""


class Broken(NamedTuple):
    """A rule that does not hold: the field that has it, in the new object, its words, and the values that changed."""

    field: Pointer
    message: str
    values: tuple[Value, ...]


def broken_transitions(old: Body, new: Body, root: Object) -> Iterator[Broken]:
    """The rules that the update breaks; both bodies with or without the schema's defaults."""
    return _broken(Part(old, new, root, WHOLE))


def _broken(part: Part) -> Iterator[Broken]:
    old, new, node, ends = part
    if old is ABSENT or new is ABSENT or node is None or old == new:
        return
    if node.immutable:
        values = tuple(changed(old, new, node, AS_STORED, ends))
        if values:
            yield Broken(ends.new, node.immutable, values)
    elif not isinstance(node, List) or node.keys:
        for each in parts(old, new, node, ends) or ():
            yield from _broken(each)


class Refused(NamedTuple):
    """A value that may not change in some states, with the field and the words that the server says."""

    states: tuple[State, ...]
    field: Pointer
    message: str
    value: Value


def always(broken: Iterable[Broken]) -> Iterator[Refused]:
    """What broken rules of a schema refuse: they know no states."""
    return (Refused(STATES, rule.field, rule.message, value) for rule in broken for value in rule.values)


def verdict_of(refused: Iterable[Refused], emptied: Iterable[Pointer]) -> Verdict:
    """The verdict; of two reasons for one value the first is told, as the server asks validating webhooks last.

    What became null is told where nothing else is refused, although the server names it first: a mapping can be left
    out, and then the other reasons come.
    """
    found = list(refused)
    told: dict[tuple[State, Value], Refusal] = {}
    for state in STATES:
        mine = [each for each in found if state in each.states] or [_null(pointer) for pointer in emptied]
        for _, field, message, value in mine:
            refusal = Refusal(state, value.pointer, f"{show_pointer(field)}: {message}", value.is_gone)
            told.setdefault((state, value), refusal)
    return Verdict(tuple(told.values()))


def _null(pointer: Pointer) -> Refused:
    return Refused(STATES, pointer, EMPTIED, Value(pointer))
