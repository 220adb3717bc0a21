"""`--shadow`: which TrainJobs are built when some of them differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from kubectl_trainjob.cluster.controller import shadow
from kubectl_trainjob.cluster.controller.shadow import compare_jobs
from kubectl_trainjob.cluster.protocol import Clock
from kubectl_trainjob.model.stages import ObjectId
from tests.cluster.apply.inputs import Object, job, runtime

_NOW, _EARLIER = "2026-01-01T00:01:00Z", "2026-01-01T00:00:00Z"


class Cluster:
    """An API server with a runtime, a TrainJob that Trainer has not seen yet, and one that it does not follow."""

    date = _NOW
    clock = Clock(lambda: 0.0, lambda _: None, lambda: 0.5)

    def __init__(self) -> None:
        self.objects = [_live(runtime("stays"), _EARLIER), _live(job("new"), _NOW), _live(job("old"), _EARLIER)]

    def resource(self, identity: ObjectId) -> str:
        return identity.kind

    def has_kind(self, *_: str) -> bool:
        return True

    def list(self, kind: str, _namespace: str, **_: Any) -> Iterator[Object]:
        return (each for each in self.objects if each["kind"] == kind)


def _live(body: Object, created: str) -> Object:
    name = body["metadata"]["name"]
    head = {**body["metadata"], "namespace": "n", "uid": f"uid-{name}", "creationTimestamp": created}
    return {**body, "metadata": head}


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of the TrainJobs of each build."""
    found: list[list[str]] = []
    real: Callable[..., Any] = shadow.build

    def build(documents: Any, options: Any) -> Any:
        found.append([each.id.name for each in documents.inputs])
        return real(documents, options)

    monkeypatch.setattr(shadow, "build", build)
    return found


def test_only_jobs_that_differ_are_built_again(builds: list[list[str]]) -> None:
    verdict = compare_jobs(Cluster(), "n", "")  # type: ignore[arg-type]
    assert (verdict.reason, verdict.summary) == ("DifferenceFound", {"skipped": 1, "different": 1})
    assert verdict.message == "JobSet/old was not created by Trainer"
    assert builds == [["new", "old"], ["old"]]


def test_a_job_that_no_build_has_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = shadow.build
    monkeypatch.setattr(shadow, "build", lambda *given: replace(real(*given), jobs=()))
    verdict = compare_jobs(Cluster(), "n", "")  # type: ignore[arg-type]
    assert (verdict.reason, verdict.summary) == ("BuildFailed", {"invalid": 2})
