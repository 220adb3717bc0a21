"""The rules of the packaged CRDs that judge updates: values that may come and go, but not change.

Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel (validator.validate with an old object): a transition
rule is judged where both versions have the value, and only where mappings and lists with keys lead to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.kube.schemas.composites import List, Object
from kubectl_trainjob.kube.updates.changed import AS_STORED, Value, changed
from kubectl_trainjob.kube.updates.parts import WHOLE, Part, parts
from kubectl_trainjob.model.source import ABSENT, Pointer
from kubectl_trainjob.model.stages import Body


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
