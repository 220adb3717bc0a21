"""The part of an object that a manager applied, by FieldsV1 as kube-apiserver writes them."""

from __future__ import annotations

import pytest

from tests.cluster.ownership import applied_by, owner

_ENV = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]


@pytest.mark.parametrize(
    ("spec", "fields", "own"),
    [
        pytest.param({"a": 1, "b": 2}, {"f:a": {}}, {"a": 1}, id="defaulted-field-is-not-ours"),
        pytest.param({"a": {"b": [1, 2]}}, {"f:a": {}}, {"a": {"b": [1, 2]}}, id="atomic"),
        pytest.param({"a": {}, "b": {"c": 1}}, {"f:a": {}, "f:b": {".": {}}}, {"a": {}, "b": {}}, id="empty-mapping"),
        pytest.param(
            {"env": _ENV}, {"f:env": {'k:{"name":"B"}': {".": {}, "f:name": {}}}}, {"env": [{"name": "B"}]}, id="key"
        ),
        pytest.param(
            {"env": _ENV}, {"f:env": {'k:{"name":"B"}': {}, 'k:{"name":"A"}': {}}}, {"env": _ENV}, id="list-order"
        ),
        pytest.param({"finalizers": ["x", "y"]}, {"f:finalizers": {'v:"y"': {}}}, {"finalizers": ["y"]}, id="set"),
    ],
)
def test_own_fields(spec, fields, own) -> None:
    entries = [
        {"manager": "trainer", "operation": "Apply", "fieldsV1": {"f:spec": fields}},
        {"manager": "jobset", "operation": "Update", "fieldsV1": {"f:spec": {}}},
    ]
    metadata = {"name": "n", "namespace": "s", "uid": "u", "managedFields": entries}
    live = {"apiVersion": "v1", "kind": "K", "metadata": metadata, "spec": spec}
    assert applied_by("trainer", live) == {
        "apiVersion": "v1",
        "kind": "K",
        "metadata": {"name": "n", "namespace": "s"},
        "spec": own,
    }


def test_owner_is_the_trainjob() -> None:
    owners = [{"kind": "JobSet", "name": "a"}, {"kind": "TrainJob", "name": "b"}]
    assert owner({"metadata": {"ownerReferences": owners}}) == "b"
    assert owner({"metadata": {}}) is None
