"""The catalogue's look-up, in a checkout; tests/examples asks the wheel."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kubectl_trainjob.repository import catalogue

ROOT = Path(__file__).resolve().parents[2]


def test_a_checkout_has_the_catalogue_beside_the_package() -> None:
    assert Path(catalogue.directory()) == ROOT / "runtimes"


def test_there_are_the_runtimes_that_people_look_for() -> None:
    wanted = {
        "deepspeed-distributed",
        "jax-distributed",
        "plain",
        "torch-coscheduling",
        "torch-distributed",
        "torch-finetune",
        "torch-volcano",
        "xgboost-distributed",
    }
    assert wanted <= set(catalogue.names())
    assert list(catalogue.names()) == sorted(catalogue.names())


@pytest.mark.parametrize("name", catalogue.names())
def test_a_runtime_is_read_by_its_name(name: str) -> None:
    (body,) = yaml.safe_load_all(catalogue.read(name))
    assert (body["kind"], body["metadata"]["name"]) == ("ClusterTrainingRuntime", name)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("torch", id="unknown"),
        pytest.param("", id="empty"),
        pytest.param("../runtimes/plain", id="a path"),
        pytest.param("plain.yaml", id="a file"),
        pytest.param("Plain", id="another case"),
    ],
)
def test_nothing_else_is_read(name: str) -> None:
    with pytest.raises(KeyError):
        catalogue.read(name)
