"""That a disagreement is seen, and reported in both sides' words."""

from __future__ import annotations

import pytest

from tests.cluster.agreement import complaints
from tests.cluster.inputs import Job, jobs_of
from tests.cluster.ownership import Object
from tests.cluster.submission import Treatment
from tests.conformance.cases import find


@pytest.fixture(scope="module")
def built() -> Job:
    """A job that builds to a JobSet and a PodGroup."""
    jobs = (job for case in find("2.3", "gang") for job in jobs_of(case, "x", suspend=True))
    return next(job for job in jobs if job.outcome.exit_code == 0 and len(job.outcome.objects) == 2)


def _live(one: Object) -> Object:
    """The object as if Trainer had applied it and JobSet's webhook had added a field."""
    own = {f"f:{part}": {f"f:{key}": {} for key in one[part]} for part in ("metadata", "spec")}
    entry = {"manager": "trainer", "operation": "Apply", "fieldsV1": own}
    metadata = {**one["metadata"], "uid": "u", "managedFields": [entry]}
    return {**one, "metadata": metadata, "spec": {**one["spec"], "defaulted": True}}


def _made(job: Job) -> list[Object]:
    return [_live(one) for one in job.outcome.objects]


def test_equal_objects_are_no_complaint(built: Job) -> None:
    assert complaints(built, Treatment(objects=_made(built))) == []


def test_other_value_missing_and_additional_objects_are_reported(built: Job) -> None:
    made = _made(built)
    jobset = next(one for one in made if one["kind"] == "JobSet")
    reported = "\n".join(
        complaints(built, Treatment(objects=[{**jobset, "spec": {**jobset["spec"], "suspend": None}}]))
    )
    assert "upstream makes no such object" in reported
    assert '+  "suspend": true' in reported
    config = _live({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n"}, "spec": {}})
    assert "not built" in "\n".join(complaints(built, Treatment(objects=[*made, config])))


def test_a_secret_that_build_does_not_report_is_reported(built: Job) -> None:
    secret = {"kind": "Secret", "metadata": {"name": "s", "namespace": "n"}}
    assert "build tells of []" in complaints(built, Treatment(objects=[*_made(built), secret]))[-1]


def test_a_rejection_by_one_side_is_reported_in_both_sides_words(built: Job) -> None:
    reported = complaints(built, Treatment(rejections=["422 spec.x: no"]))
    assert reported == ["build exits 0:", "(nothing)", "the cluster says:", "422 spec.x: no"]
