"""Effective requests, judged by k8s.io/component-helpers: recorded answers always, live ones where Go is."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_trainjob.kube.facts.resources import pod_requests
from tests.unit.kube.facts import vectors


def written(pod: dict[str, Any]) -> dict[str, str]:
    return {name: str(quantity) for name, quantity in pod_requests(pod).items()}


def differences(pairs: vectors.Pairs) -> list[Any]:
    return [(pod, answer, written(pod)) for pod, answer in pairs if written(pod) != answer.get("requests", {})]


def test_counts_as_upstream_recorded():
    pairs = vectors.recorded("pod_requests")
    assert sum(bool(answer.get("requests")) for _, answer in pairs) > 500
    assert differences(pairs) == []


@pytest.mark.go
def test_counts_as_upstream_does_now():
    assert differences(vectors.live("pod_requests", range(50_000, 55_000))) == []


def test_nothing_is_requested_by_a_pod_that_says_nothing():
    assert pod_requests({"containers": [{"name": "a", "resources": {}}], "initContainers": None}) == {}
