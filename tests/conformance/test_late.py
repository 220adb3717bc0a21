"""What kube-apiserver rejects of the Jobs of a JobSet: every recorded case, and random JobSets asked of upstream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kubectl_trainjob.kube.pods.jobset import prime_cache
from kubectl_trainjob.kube.pods.visit import PodCache
from tests.conformance import cases
from tests.conformance.late import ours, theirs
from tests.conformance.late_bases import PLAIN, RICH
from tests.conformance.late_inputs import accepted
from tests.conformance.upstream import ask
from tests.tools import require

Body = dict[str, Any]


def recorded(version: str) -> Iterator[tuple[str, Body, list[dict[str, str]]]]:
    """Each job with a JobSet: what it is called, the JobSet and what is rejected late."""
    for case in cases.load(version):
        for job in case.expected["jobs"]:
            for body in job.get("objects", ()):
                if body["kind"] == "JobSet":
                    yield f"{case.id} {job['job']}", body, job.get("late", [])


@pytest.mark.parametrize("version", cases.VERSIONS)
def test_exactly_the_recorded_fields_are_rejected(version: str) -> None:
    found = list(recorded(version))
    assert sum(bool(late) for _, _, late in found) > 100
    assert {name: theirs(late, body) for name, body, late in found} == {name: ours(body) for name, body, _ in found}


def test_a_memo_changes_nothing() -> None:
    for name, body, late in recorded("2.3"):
        cache = PodCache()
        prime_cache(body["spec"], cache)
        assert ours(body, cache) == theirs(late, body), name


@pytest.mark.go
@pytest.mark.parametrize("seed", range(8))
def test_upstream_rejects_the_same_fields_of_random_jobsets(seed: int) -> None:
    require("go")
    bodies = list(accepted(seed, 2000, [PLAIN, RICH, RICH]))
    answers = ask("", ({"name": str(number), "jobset": body} for number, body in enumerate(bodies)), folder="late")
    rejected = sum(bool(answer["late"]) for answer in answers)
    assert rejected > 1000
    wrong = [body for body, answer in zip(bodies, answers, strict=True) if ours(body) != theirs(answer["late"], body)]
    assert wrong == []
