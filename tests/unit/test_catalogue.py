"""The catalogue's look-up, in a checkout; tests/examples asks the wheel."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from kubectl_trainjob.repository import catalogue
from tests.examples.examples import AS_RELEASED
from tests.schemas.test_generate import module_directory
from tests.tools import require

ROOT = Path(__file__).resolve().parents[2]


def test_a_checkout_has_the_catalogue_beside_the_package() -> None:
    assert Path(catalogue.directory()) == ROOT / "runtimes"


def test_there_are_the_runtimes_that_people_look_for() -> None:
    own = {"deepspeed", "jax", "plain", "torch", "torch-coscheduling", "torch-finetune", "torch-volcano", "xgboost"}
    assert own | AS_RELEASED == set(catalogue.names())
    assert list(catalogue.names()) == sorted(catalogue.names())


@pytest.mark.parametrize("name", catalogue.names())
def test_a_runtime_is_read_by_its_name(name: str) -> None:
    (body,) = yaml.safe_load_all(catalogue.read(name))
    assert (body["kind"], body["metadata"]["name"]) == ("ClusterTrainingRuntime", name)


@pytest.mark.go
def test_runtimes_of_upstream_are_as_released(tmp_path: Path) -> None:
    """With the tags and labels of manifests/overlays/runtimes; for data-cache only the tag of manifests/overlays."""
    module = module_directory("github.com/kubeflow/trainer/v2@v2.3.0", tmp_path) / "manifests"
    built = subprocess.run(
        [require("kubectl"), "kustomize", module / "overlays/runtimes"], capture_output=True, check=True
    )
    released = {each["metadata"]["name"]: each for each in yaml.safe_load_all(built.stdout)}
    text = (module / "base/runtimes/data-cache/torch_distributed_with_cache.yaml").read_text()
    cache = yaml.safe_load(re.sub(r"(trainer/dataset-initializer)$", r"\1:v2.3.0", text, flags=re.MULTILINE))
    released[cache["metadata"]["name"]] = cache
    assert released.keys() == AS_RELEASED
    for name in AS_RELEASED:
        assert yaml.safe_load(catalogue.read(name)) == released[name]


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
