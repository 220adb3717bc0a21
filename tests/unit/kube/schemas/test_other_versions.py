"""A field that the targeted Trainer lacks is reported with the versions that have it, for whatever field there is."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.facts.supported import distinct_versions
from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.load import Schema, packaged, schema_for
from kubectl_trainjob.kube.schemas.other_versions import OVERRIDES, with_versions
from kubectl_trainjob.model.message import listed
from kubectl_trainjob.model.problem import Problem

API = "trainer.kubeflow.org/v1alpha1"
KINDS = ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime")
JOB = "{kind: TrainJob, metadata: {name: a}, spec: {runtimeRef: {name: a}, FIELD}}"
RUNTIME = "{kind: TrainingRuntime, metadata: {name: a}, spec: {template: {spec: {}}, FIELD}}"


def problems(version: str, text: str, field: str) -> list[tuple[str, str, str]]:
    pod = "{spec: {containers: [], workloadRef: {name: a, podGroup: b}}}"
    body = {"apiVersion": API, **yaml.safe_load(text.replace("FIELD", field).replace("POD", pod))}
    found = reported(schema_for(f"trainer-{version}", API, body["kind"]), body)
    return [(problem.rule.id, ".".join(map(str, problem.pointer)), problem.message) for problem in found]


def reported(schema: Schema, body: dict[str, Any]) -> list[Problem]:
    return [with_versions(problem, schema, body) for problem in schema.check(body).problems]


@pytest.mark.parametrize(
    ("version", "text", "field", "rule", "place", "message"),
    [
        pytest.param(
            "2.3",
            JOB,
            "podSpecOverrides: []",
            "KTJ102",
            "spec.podSpecOverrides",
            'field "podSpecOverrides" exists only in Trainer 2.0; write spec.runtimePatches now',
            id="older overrides",
        ),
        pytest.param(
            "2.1",
            JOB,
            "podSpecOverrides: []",
            "KTJ102",
            "spec.podSpecOverrides",
            'field "podSpecOverrides" exists only in Trainer 2.0; write spec.podTemplateOverrides now',
            id="one version older",
        ),
        pytest.param(
            "2.0",
            JOB,
            "runtimePatches: []",
            "KTJ110",
            "spec.runtimePatches",
            'field "runtimePatches" exists only in Trainer 2.2 and 2.3; write spec.podSpecOverrides instead',
            id="newer overrides",
        ),
        pytest.param(
            "2.2",
            JOB,
            "labels: {a: b}",
            "KTJ102",
            "spec.labels",
            'field "labels" exists only in Trainer 2.0 and 2.1; write them into a runtimePatches entry, '
            "at trainingRuntimeSpec.template.metadata",
            id="labels",
        ),
        pytest.param(
            "2.3",
            RUNTIME,
            "mlPolicy: {torch: {numProcPerNode: auto}}",
            "KTJ102",
            "spec.mlPolicy.torch.numProcPerNode",
            'field "numProcPerNode" exists only in Trainer 2.0 and 2.1; the number of processes follows the resources, '
            "or write spec.trainer.numProcPerNode in the TrainJob",
            id="torch processes",
        ),
        pytest.param(
            "2.1",
            RUNTIME,
            "mlPolicy: {jax: {}}",
            "KTJ110",
            "spec.mlPolicy.jax",
            'field "jax" exists only in Trainer 2.2 and 2.3; Trainer 2.1 has no replacement: remove it',
            id="newer policy",
        ),
        pytest.param(
            "2.0",
            JOB,
            "activeDeadlineSeconds: 5",
            "KTJ110",
            "spec.activeDeadlineSeconds",
            'field "activeDeadlineSeconds" exists only in Trainer 2.2 and 2.3; '
            "Trainer 2.0 has no replacement: remove it",
            id="newer field of a TrainJob",
        ),
        pytest.param(
            "2.2",
            RUNTIME.replace("{spec: {}}", "{spec: {replicatedJobs: [{name: a, template: {spec: {template: POD}}}]}}"),
            "mlPolicy: {}",
            "KTJ102",
            "spec.template.spec.replicatedJobs.0.template.spec.template.spec.workloadRef",
            'field "workloadRef" exists only in Trainer 2.2.0; Trainer 2.2 has no replacement: remove it',
            id="a patch release",
        ),
        pytest.param(
            "next",
            JOB,
            "trainer: {numNodes: -1}",
            "KTJ103",
            "spec.trainer.numNodes",
            "numNodes must be at least 0, not -1; Trainer 2.0, 2.1, 2.2 and 2.3 accept this value",
            id="the main branch",
        ),
        pytest.param(
            "2.2",
            JOB,
            "trainer: {numProcPerNode: auto}",
            "KTJ103",
            "spec.trainer.numProcPerNode",
            'numProcPerNode must be an integer, not the string "auto"; Trainer 2.0 and 2.1 accept this value',
            id="type of another version",
        ),
    ],
)
def test_other_versions_are_named(version, text, field, rule, place, message):
    assert problems(version, text, field) == [
        (
            rule,
            place,
            f"{message} (set target.trainer in trainjob.yaml, or run `kubectl trainjob migrate`)",
        )
    ]


def test_a_field_that_no_version_has_is_just_unknown():
    [(rule, _, message)] = problems("2.1", JOB, "podTemplateOverride: []")
    assert (rule, message) == ("KTJ101", 'unknown field "podTemplateOverride"; did you mean "podTemplateOverrides"?')


def fields(node: Any, pointer: tuple[str | int, ...] = (), depth: int = 12) -> dict[tuple[str | int, ...], Any]:
    """Every field below a node; an item of a list has index 0."""
    found: dict[tuple[str | int, ...], Any] = {}
    if depth and isinstance(node, MappingNode):
        for key in node.fields.indexes:
            found[*pointer, key] = node.fields[key]
            found.update(fields(node.fields[key], (*pointer, key), depth - 1))
    if depth and isinstance(node, ListNode):
        found.update(fields(node.item, (*pointer, 0), depth - 1))
    return found


def written(pointer: tuple[str | int, ...]) -> dict[str, Any]:
    """An object in which only the field at `pointer` stands."""
    value: Any = {}
    for step in reversed(pointer):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def parents(pointer: tuple[str | int, ...]) -> set[tuple[str | int, ...]]:
    """The fields that the one at `pointer` stands in."""
    return {pointer[:end] for end in range(1, len(pointer)) if isinstance(pointer[end - 1], str)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", VERSIONS)
def test_each_field_of_each_version(target, kind):
    """Whatever field another version has and the target lacks is reported as such, and none else is."""
    versions = {version: schema_for(f"trainer-{version}", API, kind) for version in VERSIONS}
    known = {version: fields(schema.root) for version, schema in versions.items()}
    missing = {pointer for version in VERSIONS for pointer in known[version]} - known[target].keys()
    outermost = [pointer for pointer in missing if pointer[0] != "status" and parents(pointer) <= known[target].keys()]
    assert outermost
    order = list(VERSIONS)
    for pointer in outermost:
        [found] = [each for each in reported(versions[target], written(pointer)) if each.pointer == pointer]
        having = [version for version in VERSIONS if pointer in known[version]]
        rule = "KTJ110" if all(order.index(version) > order.index(target) for version in having) else "KTJ102"
        names = listed(distinct_versions(having), template="{}")
        assert (found.rule.id, f"exists only in Trainer {names}; " in found.message) == (
            rule,
            True,
        ), pointer


def test_the_packaged_versions_are_those_of_the_table():
    assert packaged("trainer") == list(VERSIONS)
    assert {version: row.behaviour.overrides.field for version, row in VERSIONS.items()} == OVERRIDES
    assert all(row.admission.schemas == f"trainer-{version}" for version, row in VERSIONS.items())
