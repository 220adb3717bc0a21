"""The catalogue's look-up, in a checkout; tests/examples asks the wheel."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER, TRAINER_VERSIONS, release_tag
from kubectl_trainjob.repository import catalogue
from tests.examples.examples import AS_RELEASED
from tests.schemas.test_generate import module_directory
from tests.tools import require

ROOT = Path(__file__).resolve().parents[2]
RECORDED: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("catalogue.json").read_text())
"""Digests of upstream's runtimes by release, from the Go modules of the releases: the go test below has the source."""


def test_a_checkout_has_the_catalogue_beside_the_package() -> None:
    assert Path(catalogue.directory()) == ROOT / "runtimes"


def test_there_are_the_runtimes_that_people_look_for() -> None:
    own = {"deepspeed", "jax", "plain", "torch", "torch-coscheduling", "torch-finetune", "torch-volcano", "xgboost"}
    assert own | AS_RELEASED == set(catalogue.names())
    assert list(catalogue.names()) == sorted(catalogue.names())
    for version, released in RECORDED.items():
        assert set(catalogue.names(version)) == own | released.keys(), version


@pytest.mark.parametrize("version", TRAINER_VERSIONS)
def test_a_runtime_is_read_by_its_name(version: str) -> None:
    for name in catalogue.names(version):
        (body,) = yaml.safe_load_all(catalogue.read(name, version))
        assert (body["kind"], body["metadata"]["name"]) == ("ClusterTrainingRuntime", name)


@pytest.mark.parametrize("version", RECORDED)
def test_runtimes_of_upstream_are_as_recorded(version: str) -> None:
    read = {name: _digest(yaml.safe_load(catalogue.read(name, version))) for name in RECORDED[version]}
    assert read == RECORDED[version]


def test_the_next_release_has_the_runtimes_of_the_latest() -> None:
    assert catalogue.files("next").keys() == catalogue.files(LATEST_TRAINER).keys()


@pytest.mark.go
@pytest.mark.parametrize("version", RECORDED)
def test_runtimes_of_upstream_are_as_released(version: str, tmp_path: Path) -> None:
    """With the tags and labels of manifests/overlays/runtimes; for data-cache only the tag of manifests/overlays."""
    tag = release_tag(version)
    module = module_directory(f"github.com/kubeflow/trainer/v2@{tag}", tmp_path) / "manifests"
    built = subprocess.run(
        [require("kubectl"), "kustomize", module / "overlays/runtimes"], capture_output=True, check=True
    )
    released = {each["metadata"]["name"]: each for each in yaml.safe_load_all(built.stdout)}
    cache_file = module / "base/runtimes/data-cache/torch_distributed_with_cache.yaml"
    if cache_file.exists():
        text = re.sub(r"(trainer/dataset-initializer)$", rf"\1:{tag}", cache_file.read_text(), flags=re.MULTILINE)
        cache = yaml.safe_load(text)
        released[cache["metadata"]["name"]] = cache
    assert {name: yaml.safe_load(catalogue.read(name, version)) for name in released} == released
    assert {name: _digest(body) for name, body in released.items()} == RECORDED[version]


def _digest(body: object) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("torch-unknown", id="unknown"),
        pytest.param("", id="empty"),
        pytest.param("../runtimes/plain", id="a path"),
        pytest.param("plain.yaml", id="a file"),
        pytest.param("Plain", id="another case"),
    ],
)
def test_nothing_else_is_read(name: str) -> None:
    with pytest.raises(KeyError):
        catalogue.read(name)
