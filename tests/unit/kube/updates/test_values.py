"""Rejections name the smallest values that differ: of the new object, of the old one if they are gone."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_trainjob.kube.updates.differences import ChangedValue
from kubectl_trainjob.kube.updates.jobset import check_jobset_update
from kubectl_trainjob.kube.updates.result import State, UpdateResult
from kubectl_trainjob.kube.updates.trainer import check_train_job_update
from kubectl_trainjob.model.source import Pointer
from tests.unit.kube.updates.cases import container, job, jobset, of_container, of_pod, patch, train_job, variables

_JOB: Pointer = ("spec", "replicatedJobs", 0)
_POD: Pointer = (*_JOB, "template", "spec", "template")
_NODE: Pointer = (*_POD, "spec", "containers", 0)
_ENV: Pointer = (*_NODE, "env")


def _values(verdict: UpdateResult, state: State = "running") -> list[ChangedValue]:
    return [ChangedValue(each.pointer, each.is_gone) for each in verdict.rejections if each.state == state]


def _there(*pointers: Pointer) -> list[ChangedValue]:
    return [ChangedValue(pointer) for pointer in pointers]


@pytest.mark.parametrize(
    ("old", "new", "values"),
    [
        pytest.param(jobset(), of_container(image="b"), _there((*_NODE, "image")), id="a scalar"),
        pytest.param(
            of_container(env=variables("A", "B")),
            of_container(env=variables("X", "A", "B")),
            _there((*_ENV, 0)),
            id="a member added in front",
        ),
        pytest.param(
            of_container(env=variables("A", "B")),
            of_container(env=[{"name": "B", "value": "2"}]),
            [ChangedValue((*_ENV, 0, "value")), ChangedValue((*_ENV, 0), is_gone=True)],
            id="a member gone and the one behind it changed",
        ),
        pytest.param(
            of_container(env=variables("A", "B")),
            of_container(env=variables("B", "A")),
            _there(_ENV),
            id="another order is the list's",
        ),
        pytest.param(
            of_container(ports=[{"containerPort": 1}, {"containerPort": 1, "protocol": "UDP"}]),
            of_container(ports=[{"containerPort": 1, "protocol": "UDP", "name": "a"}, {"containerPort": 1}]),
            _there((*_NODE, "ports", 0, "name"), (*_NODE, "ports")),
            id="two keys, one of them by default",
        ),
        pytest.param(
            of_container(args=["a", "b", "c"]),
            of_container(args=["a", "x", "y", "c"]),
            _there((*_NODE, "args", 1), (*_NODE, "args", 2)),
            id="items without keys",
        ),
        pytest.param(
            of_container(args=["a"]), of_container(args=["a", "a"]), _there((*_NODE, "args", 1)), id="an item appended"
        ),
        pytest.param(
            of_container(args=["a", "b", "c"]),
            of_container(args=["a", "c"]),
            [ChangedValue((*_NODE, "args", 1), is_gone=True)],
            id="an item without key is gone",
        ),
        pytest.param(
            of_container(resources={"requests": {"cpu": "1", "memory": "1Gi"}}),
            of_container(resources={"requests": {"cpu": "1000m", "memory": "2Gi"}}),
            _there((*_NODE, "resources", "requests", "memory")),
            id="the other quantity says the same",
        ),
        pytest.param(
            jobset(job("a"), job("b")),
            jobset(job("b", replicas=2)),
            [ChangedValue((*_JOB, "replicas")), ChangedValue(_JOB, is_gone=True)],
            id="a job gone, a job changed, both at one place",
        ),
        pytest.param(
            jobset(network={"subdomain": "s", "enableDNSHostnames": True}),
            jobset(network={"enableDNSHostnames": False}),
            [
                ChangedValue(("spec", "network", "enableDNSHostnames")),
                ChangedValue(("spec", "network", "subdomain"), is_gone=True),
            ],
            id="a field that may not change, by its values",
        ),
        pytest.param(
            jobset(failurePolicy={"maxRestarts": 1, "restartStrategy": "BlockingRecreate"}),
            jobset(failurePolicy={"maxRestarts": 1}),
            [ChangedValue(("spec", "failurePolicy", "restartStrategy"), is_gone=True)],
            id="a default takes the place of what is gone",
        ),
        pytest.param(
            jobset(),
            jobset(managedBy="example.com/a"),
            _there(("spec", "managedBy")),
            id="managedBy",
        ),
        pytest.param(
            jobset(job(), job("b"), job("c", dependsOn=[{"name": "node", "status": "Ready"}])),
            jobset(job(), job("b"), job("c", dependsOn=[{"name": "b", "status": "Ready"}])),
            [
                ChangedValue(("spec", "replicatedJobs", 2, "dependsOn", 0)),
                ChangedValue(("spec", "replicatedJobs", 2, "dependsOn", 0), is_gone=True),
            ],
            id="two stages refuse the same, told once",
        ),
    ],
)
def test_of_a_jobset(old: Any, new: Any, values: list[ChangedValue]) -> None:
    verdict = check_jobset_update(old, new)
    assert _values(verdict) == values
    assert _values(verdict, "suspended") == values


def test_what_may_change_while_suspended_is_not_among_what_may_not() -> None:
    old = of_pod(nodeSelector={"a": "b"})
    new = of_pod(nodeSelector={"a": "c"}, containers=[container(image="b")])
    selector, image = (*_POD, "spec", "nodeSelector", "a"), (*_NODE, "image")
    assert set(_values(check_jobset_update(old, new))) == {ChangedValue(selector), ChangedValue(image)}
    assert _values(check_jobset_update(old, new), "resuming") == _there(image)


def test_a_value_that_is_in_neither_object_is_reported_as_what_holds_it() -> None:
    """Trainer's webhook writes the divisor."""
    reference = {"resourceFieldRef": {"resource": "limits.cpu"}}
    body = train_job(trainer={"env": [{"name": "A", "valueFrom": reference}]}, runtimePatches=[patch()])
    verdict = check_train_job_update(body, body, "2.3")
    assert _values(verdict) == _there(("spec", "trainer", "env", 0, "valueFrom", "resourceFieldRef"))


@pytest.mark.parametrize(
    ("old", "new", "values"),
    [
        pytest.param(
            {"trainer": {"env": variables("A"), "numNodes": 1}},
            {"trainer": {"env": variables("A", "B")}},
            [ChangedValue(("spec", "trainer", "env", 1)), ChangedValue(("spec", "trainer", "numNodes"), is_gone=True)],
            id="of one field",
        ),
        pytest.param(
            {"runtimePatches": [patch(nodeSelector={"a": "b"})]},
            {"runtimePatches": [patch(nodeSelector={"a": "c"}), patch("example.com/b")]},
            _there(
                (
                    *("spec", "runtimePatches", 0, "trainingRuntimeSpec", "template", "spec", "replicatedJobs", 0),
                    *("template", "spec", "template", "spec", "nodeSelector", "a"),
                ),
                ("spec", "runtimePatches", 1),
            ),
            id="of patches",
        ),
    ],
)
def test_of_a_train_job(old: Any, new: Any, values: list[ChangedValue]) -> None:
    assert _values(check_train_job_update(train_job(**old), train_job(**new), "2.3")) == values
