"""Which other Trainer versions accept a field or a value that the target version rejects, and what replaces it.

The packaged schemas have the fields of each version; this module adds only the replacements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.kube.facts.supported import NEXT, TRAINER_VERSIONS, distinct_versions
from kubectl_trainjob.kube.facts.trainer import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from kubectl_trainjob.kube.schemas.extensions import ELASTIC_POLICY, NO_ELASTIC_TRAINING, with_setting
from kubectl_trainjob.kube.schemas.load import Schema, kinds_of, packaged, schema_for, version_number
from kubectl_trainjob.kube.schemas.misplaced_fields import node_at, with_place
from kubectl_trainjob.kube.schemas.walk import SchemaNode, Walk
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import FIELD_NEWER_THAN_TARGET, INVALID_TYPE_OR_ENUM, REMOVED_FIELD, UNKNOWN_FIELD
from kubectl_trainjob.model.source import Place, Pointer, value_at

OVERRIDES = dict.fromkeys(TRAINER_VERSIONS, RUNTIME_PATCHES) | {
    "2.0": POD_SPEC_OVERRIDES,
    "2.1": POD_TEMPLATE_OVERRIDES,
}
"""The field of a TrainJob that changes the runtime's template."""

_METADATA = say("write them into a runtimePatches entry, at trainingRuntimeSpec.template.metadata")
_PROCESSES: Pointer = ("spec", "mlPolicy", "torch", "numProcPerNode")
_REPLACEMENTS: Mapping[Pointer, Message] = {
    ("spec", "labels"): _METADATA,
    ("spec", "annotations"): _METADATA,
    _PROCESSES: say(
        "the number of processes follows the resources, or write spec.trainer.numProcPerNode in the TrainJob"
    ),
}
_MIGRATE = say("(set target.trainer in trainjob.yaml, or run `kubectl trainjob migrate`)")


def with_versions(problem: Problem, schema: Schema, value: Mapping[str, Any]) -> Problem:
    """A problem of `value`; its message names the other versions that accept the field or the value, if any."""
    target = schema.version
    if problem.rule is UNKNOWN_FIELD:
        versions = [version for version, _ in _nodes(schema, problem.pointer)]
        found = _field(problem, target, versions) if versions else with_place(problem, schema.root, value)
        is_default = found.pointer == _PROCESSES and value_at(value, _PROCESSES) == "auto"
        return replace(found, fix=_without_processes) if is_default else found
    if problem.rule is INVALID_TYPE_OR_ENUM:
        rejected, kind = value_at(value, problem.pointer), type(node_at(schema.root, problem.pointer))
        others = [each for each in _nodes(schema, problem.pointer) if type(each[1]) is not kind or target == NEXT]
        versions = distinct_versions([version for version, node in others if _accepts(node, rejected)])
        if versions:
            message = say("{}; {} {}", problem.message, _accepted_by(versions), _MIGRATE)
            return replace(problem, message=message)
        return with_setting(problem, value)
    return problem


def _without_processes(place: Place) -> Fix:
    return Fix(say("remove numProcPerNode"), (Edit(place),))


def _accepted_by(versions: list[str]) -> Message:
    if len(versions) == 1:
        return say("Trainer {} accepts this value", *versions)
    return say("Trainer {} accept this value", listed(versions, template="{}"))


def _field(problem: Problem, target: str, versions: list[str]) -> Problem:
    is_newer = all(version_number(version) > version_number(target) for version in versions)
    message = say(
        'field "{}" exists only in Trainer {}; {}',
        str(problem.pointer[-1]),
        listed(distinct_versions(versions), template="{}"),
        _advice(problem.pointer, target, is_newer=is_newer),
    )
    return replace(problem, rule=FIELD_NEWER_THAN_TARGET if is_newer else REMOVED_FIELD, message=message)


def _advice(pointer: Pointer, target: str, *, is_newer: bool) -> Message:
    if pointer == ELASTIC_POLICY:
        return NO_ELASTIC_TRAINING
    if len(pointer) == 2 and pointer[1] in OVERRIDES.values():
        relation = say("instead") if is_newer else say("now")
        return say("write spec.{} {} {}", OVERRIDES[target], relation, _MIGRATE)
    return say("{} {}", _REPLACEMENTS.get(pointer) or say("Trainer {} has no replacement: remove it", target), _MIGRATE)


def _nodes(schema: Schema, pointer: Pointer) -> Iterator[tuple[str, SchemaNode]]:
    """The schema at `pointer` in each other version that has one there, from old to new."""
    product = schema.product.partition("-")[0]
    for version in packaged(product):
        if version != schema.version and schema.kind in kinds_of(f"{product}-{version}", group_of(schema.api_version)):
            node = node_at(schema_for(f"{product}-{version}", schema.api_version, schema.kind).root, pointer)
            if node is not None:
                yield version, node


def _accepts(node: SchemaNode, value: Any) -> bool:
    walk = Walk()
    node.visit(value, walk)
    return not walk.problems
