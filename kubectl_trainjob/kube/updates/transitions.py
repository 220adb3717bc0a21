"""The schemas' rules for updates, and one result of all that the parts of admission reject.

Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel (validator.validate with an old object) for the rules of
the packaged CRDs that check updates. Such a rule is checked where both versions have the value. Only mappings and lists
with keys may lead to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.kube.schemas.composites import ListNode
from kubectl_trainjob.kube.updates.differences import AS_STORED, ChangedValue, PairedPart, changed_values, parts
from kubectl_trainjob.kube.updates.result import STATES, RejectedChange, State, UpdateResult
from kubectl_trainjob.model.message import Data, Message, joined, say
from kubectl_trainjob.model.source import ABSENT, Pointer, show_pointer

_EMPTIED = say('in body must be of type object: "null"; server-side apply empties the mapping, remove it')


class BrokenRule(NamedTuple):
    """A rule that does not hold: its field in the new object, its message, and the values that changed."""

    field: Pointer
    message: Message
    values: tuple[ChangedValue, ...]


def broken_rules(part: PairedPart) -> Iterator[BrokenRule]:
    """The rules that the update breaks; both objects with or without the schema's defaults."""
    old, new, node = part[:3]
    if old is ABSENT or new is ABSENT or node is None or old == new:
        return
    if node.immutable:
        values = tuple(changed_values(part, AS_STORED))
        if values:
            yield BrokenRule(part.new_at, say("{}", node.immutable), values)
    elif not isinstance(node, ListNode) or node.keys:
        for each in parts(part) or ():
            yield from broken_rules(each)


class ImmutableValue(NamedTuple):
    """A value that may not change in some states, with the field and the message of the server.

    Where `is_conditional`, the message says when the field may change.
    """

    states: tuple[State, ...]
    field: Pointer
    message: Message
    value: ChangedValue
    is_conditional: bool = False


def always(broken: Iterable[BrokenRule]) -> Iterator[ImmutableValue]:
    """The values that broken rules of a schema reject, in every state."""
    return (ImmutableValue(STATES, rule.field, rule.message, value) for rule in broken for value in rule.values)


def result_of(values: Iterable[ImmutableValue], emptied: Iterable[Pointer]) -> UpdateResult:
    """The result; of two reasons for one value the first one counts, as the server calls validating webhooks last.

    An emptied mapping is reported only if nothing else is rejected, although the server names it first: users can
    remove the mapping, and then see the other reasons.
    """
    found = list(values)
    rejections: dict[tuple[State, ChangedValue], RejectedChange] = {}
    for state in STATES:
        mine = [each for each in found if state in each.states]
        for _, at, message, value, is_conditional in mine:
            if (state, value) not in rejections:
                field = show_pointer(at)
                reason, immutable = _reason(field, message), "" if is_conditional else field
                rejections[state, value] = RejectedChange(state, value.pointer, reason, value.is_gone, immutable)
        for pointer in () if mine else emptied:
            reason = _reason(show_pointer(pointer), _EMPTIED)
            rejections[state, ChangedValue(pointer)] = RejectedChange(state, pointer, reason, is_emptied=True)
    return UpdateResult(tuple(rejections.values()))


def _reason(field: str, message: Message) -> Message:
    return joined((Message(Data(field)), message), ": ")
