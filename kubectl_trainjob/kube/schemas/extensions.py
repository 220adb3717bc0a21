"""Fields and values that no controller implements, and that builds accept where trainjob.yaml allows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kubectl_trainjob.kube.facts.mpi import HYDRA
from kubectl_trainjob.kube.facts.trainer import API_VERSION, CLUSTER_TRAINING_RUNTIME, TRAINING_RUNTIME
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.source import Pointer, value_at

ELASTIC, EXTENDED_MPI = "elastic", "extendedMpi"
_POLICY: Pointer = ("spec", "mlPolicy")
ELASTIC_POLICY: Pointer = (*_POLICY, "torch", "elasticPolicy")
_IMPLEMENTATION: Pointer = (*_POLICY, "mpi", "mpiImplementation")
NO_ELASTIC_TRAINING = say(
    "no controller implements it, but a build to JobSets does, with `allow: {elastic: true}` in trainjob.yaml"
)
_NO_OTHER_MPI = (
    'no controller of Trainer implements mpiImplementation "{}"; a build to JobSets does, with '
    "`allow: {extendedMpi: true}` in trainjob.yaml"
)
_NUMBER = {"type": "integer", "format": "int32"}
_METRIC = {"type": "object", "preserve-unknown-fields": True}


def extend(data: dict[str, Any], names: Iterable[str]) -> None:
    """Add to packaged schemas what is allowed by these names."""
    for kind in (TRAINING_RUNTIME, CLUSTER_TRAINING_RUNTIME):
        root = data["nodes"][data["kinds"][f"{API_VERSION}/{kind}"]["root"]]
        if ELASTIC in names:
            _add_elastic_policy(data["nodes"], root)
        if EXTENDED_MPI in names:
            node = _node(data["nodes"], root, _IMPLEMENTATION)
            node["enum"] = [*node["enum"], *(name for name in HYDRA if name not in node["enum"])]


def _node(nodes: list[dict[str, Any]], node: dict[str, Any], pointer: Pointer) -> dict[str, Any]:
    for key in pointer:
        node = nodes[node["properties"][key]]
    return node


def _add_elastic_policy(nodes: list[dict[str, Any]], root: dict[str, Any]) -> None:
    """The field as Trainer 2.1 has it, where a version does not."""
    fields = _node(nodes, root, ELASTIC_POLICY[:-1]).setdefault("properties", {})
    if "elasticPolicy" in fields:
        return
    first = len(nodes)
    numbers = dict.fromkeys(("minNodes", "maxNodes", "maxRestarts"), first)
    metrics = {"type": "array", "items": first + 1, "list-type": "atomic"}
    policy = {"type": "object", "properties": {**numbers, "metrics": first + 2}}
    nodes += [_NUMBER, _METRIC, metrics, policy]
    fields["elasticPolicy"] = first + 3


def with_setting(problem: Problem, value: Mapping[str, Any]) -> Problem:
    """The problem; its message names the setting that allows the value, if one does."""
    name = value_at(value, problem.pointer)
    if problem.pointer == _IMPLEMENTATION and name in HYDRA:
        return replace(problem, message=say(_NO_OTHER_MPI, name))
    return problem
