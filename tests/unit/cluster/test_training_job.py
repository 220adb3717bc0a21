"""The status words of OME's document, from the JobSets that a real control plane ran."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.cluster.jobs.training_job import training_job_status
from tests.loops import for_each
from tests.unit.cluster.test_status import RECORDED

_WORDS = {"running": "Running", "complete": "Succeeded", "failed": "Failed", "suspending": "Suspended"}
JOB_SETS = {
    name: each for name, each in RECORDED.items() if each["object"]["kind"] == "JobSet" and each["state"] in _WORDS
}


@for_each("row", JOB_SETS, at_least=8)
def test_the_words_of_a_recorded_job_set(row: Any) -> None:
    found = training_job_status(row["object"])
    assert [each["type"] for each in found["conditions"]] == [_WORDS[row["state"]]]
    assert [each["status"] for each in found["conditions"]] == ["True"]
    assert found["startTime"] >= row["object"]["metadata"]["creationTimestamp"]
    assert found["retryCount"] == row["object"]["status"].get("restarts", 0)
    recorded = row["object"]["status"].get("replicatedJobsStatus") or []
    assert found["jobsStatus"] == recorded
    assert all(each.keys() == {"name", "ready", "succeeded", "failed", "active", "suspended"} for each in recorded)


def test_a_new_job_set_has_no_words() -> None:
    row = next(each for each in RECORDED.values() if each["state"] == "created" and each["object"]["kind"] == "JobSet")
    found = training_job_status(row["object"])
    assert (found["conditions"], found["jobsStatus"], found["retryCount"]) == ([], [], 0)
