"""What other versions of the product have where the targeted one refuses a field or its value.

The packaged schemas tell; only what stands in a field's place is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kubectl_trainjob.kube.facts.trainer import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from kubectl_trainjob.kube.schemas.composites import Composite, List, Object
from kubectl_trainjob.kube.schemas.load import Schema, packaged, schema_for
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.kube.schemas.scalars import Scalar
from kubectl_trainjob.kube.schemas.walk import Walk
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import FIELD_NEWER_THAN_TARGET, INVALID_TYPE_OR_ENUM, REMOVED_FIELD, UNKNOWN_FIELD
from kubectl_trainjob.model.source import Place, Pointer

OVERRIDES = {
    "2.0": POD_SPEC_OVERRIDES,
    "2.1": POD_TEMPLATE_OVERRIDES,
    "2.2": RUNTIME_PATCHES,
    "2.3": RUNTIME_PATCHES,
}
"""What a TrainJob changes the runtime's template with."""

_METADATA = "write them into a runtimePatches entry, at trainingRuntimeSpec.template.metadata"
_PROCESSES: Pointer = ("spec", "mlPolicy", "torch", "numProcPerNode")
_IN_PLACE: Mapping[Pointer, str] = {
    ("spec", "labels"): _METADATA,
    ("spec", "annotations"): _METADATA,
    _PROCESSES: ("the number of processes follows the resources, or write spec.trainer.numProcPerNode in the TrainJob"),
    ("spec", "mlPolicy", "torch", "elasticPolicy"): "it has no successor",
}
_MIGRATE = "(build with --trainer-version, or migrate the manifest: `kubectl trainjob migrate` is planned)"

Node = Scalar | Composite


def _without_processes(place: Place) -> Fix:
    return Fix("remove numProcPerNode", (Edit(place),))


def explained(problem: Problem, schema: Schema, value: Mapping[str, Any]) -> Problem:
    """A problem of `value`, told with the versions that have the field, or in which it has the type; else the same."""
    target = schema.product.rpartition("-")[2]
    if problem.rule is UNKNOWN_FIELD:
        told = _field(problem, target, [version for version, _ in _nodes(schema, problem.pointer)])
        says_nothing = told.pointer == _PROCESSES and _value(value, _PROCESSES) == "auto"  # what holds without it
        return replace(told, fix=_without_processes) if says_nothing else told
    if problem.rule is INVALID_TYPE_OR_ENUM:
        refused, kind = _value(value, problem.pointer), type(_at(schema.root, problem.pointer))
        others = [each for each in _nodes(schema, problem.pointer) if type(each[1]) is not kind]
        takers = [version for version, node in others if _takes(node, refused)]
        if takers:
            verb = "takes" if len(takers) == 1 else "take"
            return replace(problem, message=f"{problem.message}; Trainer {listed(takers)} {verb} it {_MIGRATE}")
    return problem


def _field(problem: Problem, target: str, having: list[str]) -> Problem:
    if not having:
        return problem
    newer = all(_number(version) > _number(target) for version in having)
    message = (
        f"field {quoted(str(problem.pointer[-1]))} exists only in Trainer {listed(having)}; "
        f"{_advice(problem.pointer, target, newer)} {_MIGRATE}"
    )
    return replace(problem, rule=FIELD_NEWER_THAN_TARGET if newer else REMOVED_FIELD, message=message)


def _advice(pointer: Pointer, target: str, newer: bool) -> str:
    if len(pointer) == 2 and pointer[1] in OVERRIDES.values():
        return f"spec.{OVERRIDES[target]} is its {'predecessor' if newer else 'successor'}"
    return _IN_PLACE.get(pointer, f"{target} has nothing in its place, remove it")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _nodes(schema: Schema, pointer: Pointer) -> Iterator[tuple[str, Node]]:
    """The schema at `pointer` in each other version that has one there, from old to new."""
    product, _, target = schema.product.rpartition("-")
    for version in packaged(product):
        other = schema_for(f"{product}-{version}", schema.api_version, schema.kind)
        node = _at(other.root, pointer) if version != target else None
        if node is not None:
            yield version, node


def _at(root: Object, pointer: Pointer) -> Node | None:
    node: Node | None = root
    for step in pointer:
        if isinstance(node, Object):
            node = node.fields[str(step)] or node.entry
        else:
            node = node.item if isinstance(node, List) else None
    return node


def _value(value: Any, pointer: Pointer) -> Any:
    for step in pointer:
        value = value[step]
    return value


def _takes(node: Node, value: Any) -> bool:
    walk = Walk()
    node.visit(value, walk)
    return not walk.problems
