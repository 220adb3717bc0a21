"""Advice for fields at a wrong place. The judge is the CRD of the release: it accepts what the advice says to write."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
import yaml

from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.other_versions import with_versions

API = "trainer.kubeflow.org/v1alpha1"
JOB = {"apiVersion": API, "kind": "TrainJob", "metadata": {"name": "a"}, "spec": {"runtimeRef": {"name": "a"}}}
FIELDS = {
    "nodeSelector": {"gpu": "h100", "zone/x": "1"},
    "tolerations": [{"key": "gpu", "operator": "Exists"}],
    "serviceAccountName": "bob",
    "volumes": [{"name": "d", "emptyDir": {}}],
    "volumeMounts": [{"name": "d", "mountPath": "/d"}],
    "imagePullSecrets": [{"name": "s"}],
    "affinity": {"nodeAffinity": {}},
}
WITHOUT = {("2.0", "affinity"), ("2.0", "imagePullSecrets")}


def messages(body: dict[str, Any], version: str) -> list[str]:
    schema = schema_for(f"trainer-{version}", API, body["kind"])
    return [str(with_versions(each, schema, body).message) for each in schema.check(body).problems]


def job(**spec: Any) -> dict[str, Any]:
    return {**copy.deepcopy(JOB), "spec": {**JOB["spec"], **spec}}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("field", FIELDS)
def test_the_api_server_accepts_the_lines_for_a_field_of_pods(field: str, version: str) -> None:
    [message] = messages(job(trainer={field: FIELDS[field]}), version)
    if (version, field) in WITHOUT:
        assert "only the runtime sets it" in message
        return
    written = yaml.safe_load("{" + message.partition(" write ")[2] + "}")
    assert messages(job(**written), version) == []
    assert re.search(rf"\b{field}:", yaml.safe_dump(written))


@pytest.mark.parametrize("amounts", [{"cpu": 8}, {"nvidia.com/gpu": 1}, {"memory": "64Gi"}])
def test_amounts_are_below_limits(amounts: dict[str, Any]) -> None:
    [message] = messages(job(trainer={"resourcesPerNode": amounts}), "2.3")
    written = yaml.safe_load(message.partition(" write ")[2])
    assert written == {"resourcesPerNode": {"limits": amounts}}
    assert messages(job(trainer=written), "2.3") == []


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        pytest.param(
            {"runtimeRef": {"name": "a", "trainer": {}}},
            'it is a field of spec: move its line to the left, below "runtimeRef"',
            id="too deep",
        ),
        pytest.param(
            {"numNodes": 2},
            'it is a field of spec.trainer: move its line to the right, and write "trainer:" above it',
            id="too high",
        ),
        pytest.param(
            {"trainer": None, "numNodes": 2},
            'it is a field of spec.trainer: move its line to the right, below "trainer:"',
            id="below an empty key",
        ),
        pytest.param(
            {"trainer": {"env": [{"name": "A", "value": "1"}, {"name": "B"}], "value": "2"}},
            'it is a field of spec.trainer.env[1]: move its line to the right, below "env:"',
            id="beside the list of its item",
        ),
        pytest.param(
            {"trainer": {"resourcesPerNode": {"limits": None, "cpu": 2}}},
            'move its line to the right, below "limits:"',
            id="beside an empty key for amounts",
        ),
        pytest.param({"trainer": {"numNode": 2}}, 'did you mean "numNodes"?', id="only misspelled"),
        pytest.param({"trainer": {"resourcesPerNode": {"limit": {"cpu": 8}}}}, 'did you mean "limits"?', id="limit"),
        pytest.param({"trainer": {"resources": {"limits": {"cpu": 8}}}}, 'did you mean "resourcesPerNode"?', id="Pod"),
        pytest.param({"trainer": {"replicas": 2}}, 'did you mean "numNodes"?', id="PyTorchJob"),
        pytest.param({"trainer": {"nproc": 2}}, 'did you mean "numProcPerNode"?', id="torchrun"),
        pytest.param({"trainer": {"gpus": 8}}, "write resourcesPerNode: {limits: {nvidia.com/gpu: 8}}", id="GPUs"),
    ],
)
def test_an_indentation(spec: dict[str, Any], advice: str) -> None:
    [message] = messages(job(**spec), "2.3")
    assert message.endswith(advice)
