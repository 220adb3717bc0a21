"""The packaged schemas are what the generator makes of the released CRDs, and it rejects what it does not know."""

from __future__ import annotations

import json
import subprocess
import zlib
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from tests.schemas.generate import UnknownConstructError, encode, main, reduce_crds
from tests.tools import missing, require

# Without "next": the Go proxy has no module of kubeflow/trainer@8c0f5059 and kubernetes-sigs/jobset@08dfbdfd.
RELEASES = [
    pytest.param("trainer-2.0", "github.com/kubeflow/trainer/v2@v2.0.1", "manifests/base/crds", id="trainer-2.0"),
    pytest.param("trainer-2.1", "github.com/kubeflow/trainer/v2@v2.1.0", "manifests/base/crds", id="trainer-2.1"),
    pytest.param("trainer-2.2", "github.com/kubeflow/trainer/v2@v2.2.1", "manifests/base/crds", id="trainer-2.2"),
    pytest.param("trainer-2.3", "github.com/kubeflow/trainer/v2@v2.3.0", "manifests/base/crds", id="trainer-2.3"),
    pytest.param("trainer-2.2.0", "github.com/kubeflow/trainer/v2@v2.2.0", "manifests/base/crds", id="trainer-2.2.0"),
    pytest.param("jobset-0.11", "sigs.k8s.io/jobset@v0.11.1", "config/components/crd/bases", id="jobset-0.11"),
    pytest.param(
        "training-operator-1.9",
        "github.com/kubeflow/training-operator@v1.9.3",
        "manifests/base/crds",
        id="training-operator-1.9",
    ),
    pytest.param(
        "mpi-operator-0.8",
        "github.com/kubeflow/mpi-operator@v0.8.2",
        "manifests/base/kubeflow.org_mpijobs.yaml",
        id="mpi-operator-0.8",
    ),
    pytest.param("jobset-0.12", "sigs.k8s.io/jobset@v0.12.0", "config/components/crd/bases", id="jobset-0.12"),
]


def packaged(version):
    return zlib.decompress(
        files("kubectl_trainjob.kube.schemas").joinpath("data", f"{version}.json.gz").read_bytes(), 31
    )


def module_directory(module, tmp_path):
    go = require("go")
    done = subprocess.run(
        [go, "mod", "download", "-json", module], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    answer = json.loads(done.stdout or "{}")
    if "Dir" not in answer:
        missing(f"Go cannot provide {module}: {answer.get('Error') or done.stderr}")
    return Path(answer["Dir"])


@pytest.mark.go
@pytest.mark.parametrize(("version", "module", "folder"), RELEASES)
def test_packaged_schemas_are_those_of_the_release(version, module, folder, tmp_path):
    crds = module_directory(module, tmp_path) / folder
    assert encode(reduce_crds([crds])) == packaged(version)


def crd(schema, **version):
    return {
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "acme.io",
            "scope": "Namespaced",
            "names": {"kind": "Thing"},
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}, **version}],
        },
    }


def reduced(tmp_path, schema, **version):
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(crd(schema, **version)))
    return reduce_crds([file])


def of_field(schema):
    return {"type": "object", "properties": {"f": schema}}


def test_equal_subschemas_are_written_once(tmp_path):
    text = {"type": "string", "description": "one", "maxLength": 5}
    made = reduced(tmp_path, {"type": "object", "properties": {"a": text, "b": {**text, "description": "two"}}})
    root = made["nodes"][made["kinds"]["acme.io/v1/Thing"]["root"]]
    assert root["properties"]["a"] == root["properties"]["b"]
    assert made["nodes"][root["properties"]["a"]] == {"type": "string", "maxLength": 5}


def test_scope_and_status_subresource_are_kept(tmp_path):
    made = reduced(tmp_path, {"type": "object", "properties": {}}, subresources={"status": {}})
    assert made["kinds"]["acme.io/v1/Thing"] == {
        "root": made["kinds"]["acme.io/v1/Thing"]["root"],
        "namespaced": True,
        "status": True,
    }


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "string", "oneOf": [{"pattern": "a"}]}, id="oneOf"),
        pytest.param({"type": "string", "anyOf": [{"pattern": "a"}]}, id="anyOf"),
        pytest.param({"type": "object", "not": {"required": ["a"]}}, id="not"),
        pytest.param({"type": "integer", "multipleOf": 2}, id="multipleOf"),
        pytest.param({"type": "integer", "minimum": 0, "exclusiveMinimum": True}, id="exclusiveMinimum"),
        pytest.param({"type": "string", "format": "ipv4"}, id="format"),
        pytest.param({"type": "null"}, id="type"),
        pytest.param({"x-kubernetes-int-or-string": True, "pattern": "^a$"}, id="int-or-string pattern"),
        pytest.param({"type": "object", "x-kubernetes-embedded-resource": True}, id="embedded resource"),
        pytest.param({"type": "object", "x-kubernetes-validations": [{"rule": "self.a > 1"}]}, id="CEL rule"),
        pytest.param(
            {"type": "object", "x-kubernetes-validations": [{"rule": "self == oldSelf", "new": 1}]}, id="CEL key"
        ),
    ],
)
def test_what_the_walker_does_not_know_stops_the_generator(schema, tmp_path, capsys):
    with pytest.raises(UnknownConstructError):
        reduced(tmp_path, of_field(schema))
    assert main([str(tmp_path / "crd.yaml"), "-o", str(tmp_path / "out")]) == 1
    assert "Thing.f" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
