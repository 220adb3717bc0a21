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


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("field", FIELDS)
def test_the_same_lines_for_a_field_of_pods_in_the_spec(field: str, version: str) -> None:
    [message] = messages(job(**{field: FIELDS[field]}), version)
    if (version, field) in WITHOUT:
        assert "only the runtime sets it" in message
        return
    written = yaml.safe_load("{" + message.partition(" instead, write ")[2] + "}")
    assert re.search(rf"\b{field}:", yaml.safe_dump(written))
    assert messages(job(**written), version) == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("in_trainer", [False, True])
@pytest.mark.parametrize(
    ("field", "value"),
    [("ttlSecondsAfterFinished", 300), ("backoffLimit", 3), ("restartPolicy", "Never"), ("livenessProbe", {})],
)
def test_a_runtime_accepts_the_line_at_its_place(field: str, value: Any, in_trainer: bool, version: str) -> None:
    [message] = messages(job(**({"trainer": {field: value}} if in_trainer else {field: value})), version)
    place, _, line = message.partition("there, below ")[2].partition(", write ")
    part = yaml.safe_load("{" + line + "}")
    for key in reversed(place.split(".")):
        name = {"replicatedJobs[]": "node", "containers[]": "node"}.get(key)
        part = {key.removesuffix("[]"): [{"name": name, **part}]} if name else {key: part}
    body = {"apiVersion": API, "kind": "ClusterTrainingRuntime", "metadata": {"name": "a"}, **part}
    found = messages(body, version)
    assert [each for each in found if "unknown" in each or "must be" in each] == []


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        pytest.param({}, 'write "spec:" above its line', id="no spec"),
        pytest.param({"spec": {"trainer": {"numNodes": 1}}}, "move it there", id="a spec without it"),
    ],
)
def test_a_field_of_the_spec_in_the_metadata(body: dict[str, Any], advice: str) -> None:
    metadata = {"name": "a", "runtimeRef": {"name": "a"}}
    written = {"apiVersion": API, "kind": "TrainJob", "metadata": metadata, **body}
    assert f'unknown field "runtimeRef"; it is a field of spec: {advice}' in messages(written, "2.3")


TYPES = {
    "a name": ({"runtimeRef": "torch"}, {"runtimeRef": "{name: torch}"}),
    "a name of digits": ({"runtimeRef": "2026"}, {"runtimeRef": '{name: "2026"}'}),
    "names and values": ({"trainer": {"env": {"LR": 0.1}}}, {"trainer": {"env": '- {name: LR, value: "0.1"}'}}),
    "a variable": ({"trainer": {"env": ["LR=0.1"]}}, {"trainer": {"env": '[{name: LR, value: "0.1"}]'}}),
    "a URI": ({"initializer": {"dataset": "hf://a/b"}}, {"initializer": {"dataset": '{storageUri: "hf://a/b"}'}}),
    "a boolean": ({"trainer": {"env": {"LR": True}}}, {"trainer": {"env": '- {name: LR, value: "true"}'}}),
}


@pytest.mark.parametrize(("spec", "lines"), TYPES.values(), ids=TYPES)
def test_the_api_server_accepts_the_lines_for_another_type(spec: dict[str, Any], lines: dict[str, Any]) -> None:
    [message] = messages(job(**spec), "2.3")
    (key, below), *_ = lines.items()
    text = below if isinstance(below, str) else next(iter(below.values()))
    assert message.endswith(text.strip("[]"))
    value = yaml.safe_load(text)
    assert messages(job(**{key: value if text is below else dict.fromkeys(below, value)}), "2.3") == []


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        pytest.param({"trainer": {"env": {"name": "A", "value": "1"}}}, 'write "- " before "name"', id="no dash"),
        pytest.param({"trainer": [{"numNodes": 2}]}, 'not a list; remove the "-"', id="a dash too many"),
        pytest.param(
            {"trainer": {"command": ["sh", {"echo a": "b"}]}}, 'quote a text that has ": " in it', id="a colon"
        ),
        pytest.param({"trainer": True}, "not the boolean true; write {}", id="true"),
        pytest.param({"trainer": {"args": {"--lr": 1}}}, "args must be a list, not a mapping", id="a list of strings"),
    ],
)
def test_dashes(spec: dict[str, Any], advice: str) -> None:
    [message] = messages(job(**spec), "2.3")
    assert message.endswith(advice)


@pytest.mark.parametrize(
    "spec",
    [
        {"trainer": {"numNodes": "${NODES}"}},
        {"suspend": "$PAUSED"},
        {"trainer": {"resourcesPerNode": {"limits": {"cpu": "$CPUS"}}}},
        {"trainer": {"numNodes": "{{ .Values.nodes }}"}},
    ],
)
def test_a_placeholder(spec: dict[str, Any]) -> None:
    [message] = messages(job(**spec), "2.3")
    tool = "helm template" if "{{" in str(spec) else "envsubst"
    assert message.endswith(f'" is a placeholder; fill it in first, for example with {tool}')


def test_kubernetes_fills_in_parentheses() -> None:
    [message] = messages(job(trainer={"numNodes": "$(NODES)"}), "2.3")
    assert "placeholder" not in message
