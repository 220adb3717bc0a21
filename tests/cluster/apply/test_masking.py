"""No error of the API server shows a value of the object that it is about; the path and the expected type stay."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.connection import KubeConnection
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.login import ConnectionOptions
from kubectl_trainjob.cluster.protocol import Clock
from tests.cluster.apply.inputs import Object
from tests.cluster.apply.site import Site
from tests.cluster.commands import jobset
from tests.loops import for_each

pytestmark = pytest.mark.cluster

_VALUE = "canary-5ecret"
_LINES = f"canary\n  .spec.x: {_VALUE}\n.data.x: expected string, got {_VALUE}"
_OF_ENV = "5ecret of a variable"
_ENV = {"name": "A", "value": "1"}


def _secret(**content: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Secret", **content}


def _container(**changes: Any) -> Object:
    return jobset("", "a", container=changes)


CASES: dict[str, tuple[Object, str]] = {
    "data is a list": (_secret(data=[_VALUE, _LINES]), ".data: expected map"),
    "data is a text": (_secret(data=_LINES), ".data: expected map"),
    "a value is a map": (_secret(data={"k": {"x": _VALUE}}), ".data.k: expected string"),
    "a value is a list": (_secret(stringData={"k": [_VALUE, _LINES]}), ".stringData.k: expected string"),
    "a value is a number": (_secret(stringData={"k": 5550177}), ".stringData.k: expected string"),
    "no base64": (_secret(data={"k": _VALUE}), "illegal base64 data"),
    "an unknown field": (_secret(datas={"k": _VALUE}), ".datas: field not declared in schema"),
    "several errors": (
        _secret(stringData={"k": [_VALUE]}, data={"z": _VALUE, "y": [_LINES]}, immutable=_LINES),
        ".stringData.k: expected string",
    ),
    "env is a map": (_container(env={"A": _OF_ENV}), ".env: expected list"),
    "env is a text": (_container(env=_OF_ENV), ".env: expected list"),
    "the value of a variable is a map": (_container(env=[{"name": "A", "value": {"x": _OF_ENV}}]), ".value: expected"),
    "the value of a variable is a number": (_container(env=[{"name": "A", "value": 5550177}]), ".value: expected"),
    "a variable twice": (_container(env=[{"name": "A", "value": _OF_ENV}, _ENV]), "duplicate entries"),
    "args is a text": (_container(args=f"--token {_OF_ENV}"), ".args: expected list"),
    "an argument is a map": (_container(args=[{"--token": _OF_ENV}]), ".args[0]: expected string"),
    "command is a map": (_container(command={"a": _OF_ENV}), ".command: expected list"),
    "a name": (_container(env=[{"name": "A=", "value": _OF_ENV}, {"value": _OF_ENV}]), ""),
}


def _error_of_create(api: Api, body: Object) -> str:
    """The API server accepts a variable that occurs twice."""
    try:
        api.create(body, dry_run=True)
    except ApiError as error:
        return error.message
    return ""


@for_each("title", CASES.keys(), at_least=15)
def test_no_error_has_a_value(site: Site, title: str) -> None:
    clock = Clock(time.monotonic, time.sleep, random.random)
    api = Api(KubeConnection(ConnectionOptions(str(site.kubeconfig()))), clock, 30, 60)
    body, expected = CASES[title]
    body = {**body, "metadata": {"name": "a", "namespace": site.namespace}}
    before = len(site.proxy.requests)
    with pytest.raises(ApiError) as applied:
        api.apply(body, dry_run=True)
    assert (applied.value.reason, expected in applied.value.message) == ("Invalid", True), applied.value.message
    errors = [applied.value.message, _error_of_create(api, body)]
    assert not any(value in each for value in ("5ecret", "5550177") for each in errors), errors
    assert sum(one.method != "GET" for one in site.proxy.requests[before:]) == 2, "a type error is not tried again"


def test_apply_shows_the_path_and_no_value(site: Site, tmp_path: Path) -> None:
    site.files(_secret(metadata={"name": "s"}, stringData={"k": [_VALUE]}))
    done = site.apply()
    assert done.code == 1
    printed = done.ended.out + done.ended.err
    assert "stringData" in printed
    assert _VALUE not in printed.replace(str(tmp_path), "")
