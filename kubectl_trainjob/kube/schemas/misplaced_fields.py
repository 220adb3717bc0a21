"""Advice for a field that the schema does not have at its place, but at another one: what to write, or where to move.

A TrainJob cannot set fields of Pods in `spec.trainer`. Each release has another field for them; the packaged schema of
the release decides which fields that one accepts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kubectl_trainjob.kube.facts.trainer import NODE, POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from kubectl_trainjob.kube.facts.types import field as field_of
from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.flow import flow
from kubectl_trainjob.kube.schemas.walk import SchemaNode
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.source import Pointer, show_pointer, value_at

_SPEC: Pointer = ("spec",)
_TRAINER: Pointer = (*_SPEC, "trainer")
_RESOURCES = ("resources", "resourcesPerNode")
_AMOUNTS = ("limits", "requests")
_MEANT: Mapping[str, str] = {
    **dict.fromkeys(("nnodes", "nodeCount", "nodes", "numWorkers", "replicas", "workers"), "numNodes"),
    **dict.fromkeys(("nproc", "nprocs", "processes"), "numProcPerNode"),
    "resources": "resourcesPerNode",
}
"""What the words of other APIs are called in `spec.trainer`."""
_GPUS = ("gpu", "gpus", "gpusPerNode", "numGPUs", "numGpus")
_LONGEST = 60  # characters of a value that is shown in a line to write
_MANAGER = "example.com/me"
_JOBS: Pointer = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec")
_POD_SPECS: Mapping[str, Pointer] = {
    POD_SPEC_OVERRIDES: (0,),
    POD_TEMPLATE_OVERRIDES: (0, "spec"),
    RUNTIME_PATCHES: (0, "trainingRuntimeSpec", "template", *_JOBS),
}
"""The Pod spec in an item of each field that changes the runtime's template."""
_TEMPLATE = "spec.template.spec"
_JOB = f"{_TEMPLATE}.replicatedJobs[].template.spec"
_OF_RUNTIME = {
    "jobset/v1alpha2.JobSetSpec": _TEMPLATE,
    "batch/v1.JobSpec": _JOB,
    "core/v1.PodSpec": f"{_JOB}.template.spec",
    "core/v1.Container": f"{_JOB}.template.spec.containers[]",
}
"""The places in a runtime of each type."""


def with_place(problem: Problem, root: MappingNode, value: Mapping[str, Any]) -> Problem:
    """The problem of an unknown field of `value`, with its right place if there is one."""
    name = str(problem.pointer[-1])
    for advice in _advice(problem.pointer, root, value):
        return replace(problem, message=say('unknown field "{}"; {}', name, advice))
    for owner, advice in _owners(problem.pointer, root, value):
        return replace(problem, message=say('unknown field "{}"; {}', name, advice), meant=(*owner, name))
    for advice in _of_others(problem.pointer, root, value_at(value, problem.pointer)):
        return replace(problem, message=say('unknown field "{}"; {}', name, advice))
    return problem


def _advice(pointer: Pointer, root: MappingNode, value: Mapping[str, Any]) -> Iterator[Message]:
    *above, name = pointer
    if above and above[-1] in _RESOURCES and not nearest(str(name), _AMOUNTS):
        yield from _amount(str(name), above[-1], value_at(value, pointer[:-1]))
    if tuple(above) == _TRAINER:
        yield from _in_other_words(str(name), value_at(value, pointer))
        for lines in _override(str(name), root, value_at(value, pointer)):
            yield say("move it out of trainer: below spec, write {}", lines)


def _owners(pointer: Pointer, root: MappingNode, value: Mapping[str, Any]) -> Iterator[tuple[Pointer, Message]]:
    """Other mappings that have such a field, but not yet in the object, and how to move it there."""
    yield from _outer(pointer, root, value)
    yield from _inner(pointer, root, value)
    spec = node_at(root, _SPEC)
    if (
        pointer[0] == "metadata"
        and isinstance(spec, MappingNode)
        and _lacks(spec, value.get("spec") or {}, str(pointer[-1]))
    ):
        where = say("move it there") if value.get("spec") else say('write "spec:" above its line')
        yield _SPEC, say("it is a field of spec: {}", where)


def _amount(name: str, above: Any, own: Mapping[str, Any]) -> Iterator[Message]:
    for field in _AMOUNTS:
        if field in own and own[field] is None:
            yield say('move its line to the right, below "{}:"', field)
    yield say("amounts are below limits or requests: write {}", flow({above: {"limits": {name: own[name]}}}))


def _in_other_words(name: str, given: Any) -> Iterator[Message]:
    if name in _MEANT:
        yield say('did you mean "{}"?', _MEANT[name])
    if name in _GPUS:
        yield say("write {}", flow({"resourcesPerNode": {"limits": {"nvidia.com/gpu": _short(given)}}}))


def _override(name: str, root: MappingNode, given: Any) -> Iterator[str]:
    """The lines that set a field of the Pods or of their container `node`."""
    for field, inside in _POD_SPECS.items():
        pods = node_at(root, ("spec", field, *inside))
        containers = node_at(pods, ("containers", 0)) if pods else None
        if isinstance(pods, MappingNode) and pods.fields[name]:
            yield flow({field: [_item(field, {name: _short(given)})]})
        elif isinstance(containers, MappingNode) and containers.fields[name]:
            yield flow({field: [_item(field, {"containers": [{"name": NODE, name: _short(given)}]})]})


def _of_others(pointer: Pointer, root: MappingNode, given: Any) -> Iterator[Message]:
    """What sets a field of Pods, Jobs or the JobSet in place of a TrainJob's spec or trainer."""
    *above, name = pointer
    if tuple(above) not in (_SPEC, _TRAINER) or node_at(root, (*_SPEC, "runtimeRef")) is None:
        return
    for lines in _override(str(name), root, given):
        yield say("instead, write {}", lines)
    for type_name, place in _OF_RUNTIME.items():
        if field_of(type_name, str(name)):
            yield say("only the runtime sets it: there, below {}, write {}", place, flow({str(name): _short(given)}))


def _item(field: str, pod_spec: Mapping[str, Any]) -> Mapping[str, Any]:
    if field == RUNTIME_PATCHES:
        job = {"name": NODE, "template": {"spec": {"template": {"spec": pod_spec}}}}
        return {"manager": _MANAGER, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [job]}}}}
    target = {"targetJobs": [{"name": NODE}]}
    return {**target, **pod_spec} if field == POD_SPEC_OVERRIDES else {**target, "spec": pod_spec}


def _outer(pointer: Pointer, root: MappingNode, value: Mapping[str, Any]) -> Iterator[tuple[Pointer, Message]]:
    """A mapping around the one with the field that has such a field, but not yet in the object."""
    for length in reversed(range(len(pointer) - 1)):
        node, own = node_at(root, pointer[:length]), value_at(value, pointer[:length])
        if isinstance(node, MappingNode) and _lacks(node, own, str(pointer[-1])):
            owner = say("a field of {}", show_pointer(pointer[:length])) if length else say("a top-level field")
            yield pointer[:length], say('it is {}: move its line to the left, below "{}"', owner, str(pointer[length]))


def _inner(pointer: Pointer, root: MappingNode, value: Mapping[str, Any]) -> Iterator[tuple[Pointer, Message]]:
    """A mapping next to the field that has such a field, but not yet in the object."""
    parent, own = node_at(root, pointer[:-1]), value_at(value, pointer[:-1]) or {}
    if not isinstance(parent, MappingNode):
        return
    for sibling in sorted(parent.fields.indexes, key=lambda name: name not in own):
        node, given, inside = parent.fields[sibling], own.get(sibling), (*pointer[:-1], sibling)
        if isinstance(node, ListNode) and isinstance(given, list) and given:
            node, given, inside = node.item, given[-1], (*inside, len(given) - 1)
        if isinstance(node, MappingNode) and _lacks(node, given or {}, str(pointer[-1])):
            where = say('below "{}:"' if sibling in own else 'and write "{}:" above it', sibling)
            yield inside, say("it is a field of {}: move its line to the right, {}", show_pointer(inside), where)


def _lacks(node: MappingNode, own: Any, name: str) -> bool:
    return isinstance(own, dict) and not own.get(name) and node.fields[name] is not None


def node_at(node: SchemaNode | None, pointer: Pointer) -> SchemaNode | None:
    """The schema at `pointer` below a node, None if it has none there."""
    for step in pointer:
        if isinstance(node, MappingNode):
            node = node.fields[str(step)] or node.entry
        else:
            node = node.item if isinstance(node, ListNode) else None
    return node


def _short(given: Any) -> Any:
    return given if len(json.dumps(given)) <= _LONGEST else "…"
