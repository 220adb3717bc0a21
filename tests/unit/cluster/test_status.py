"""The state of a job, from objects that a watch recorded on a control plane with JobSet 0.12 and Trainer 2.3.

`states.jsonl.gz` has one object in each line, and the state that an observer of the run gave it.
"""

from __future__ import annotations

import gzip
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cluster.inventory import InventoryEntry
from kubectl_trainjob.cluster.jobs.find import FoundJob
from kubectl_trainjob.cluster.jobs.seen import SeenJob
from kubectl_trainjob.cluster.jobs.status import JobStatus, status_of
from kubectl_trainjob.model.stages import identity_of
from kubectl_trainjob.report.cluster.status import age
from tests.loops import for_each

_STATES = {
    **dict.fromkeys(("created", "pending", "restarting", "resuming"), "Pending"),
    "running": "Running",
    **dict.fromkeys(("queued", "queued-new", "suspending"), "Suspended"),
    "complete": "Succeeded",
    "failed": "Failed",
}
_LINES = gzip.decompress(Path(__file__).with_name("states.jsonl.gz").read_bytes()).splitlines()
_RECORDED = [json.loads(line) for line in _LINES]
RECORDED = {each["name"]: each for each in _RECORDED if each["state"] in _STATES}


def status(body: Any, **seen: Any) -> JobStatus:
    """The status of a JobSet or TrainJob of which nothing else is known."""
    body = {**body, "metadata": {"uid": "1", **body["metadata"]}}
    found = FoundJob(identity_of(body), body, body if body["kind"] == "JobSet" else None)
    return status_of(SeenJob(found, seen.pop("now", ""), **seen))


@for_each("row", RECORDED, at_least=60)
def test_the_state_of_a_recorded_object(row: Any) -> None:
    found = status(row["object"])
    assert found.state == _STATES[row["state"]], row["why"]
    assert found.state != "Failed" or found.reason in ("FailedJobs", "DeadlineExceeded", "JobCreationFailed")


def test_the_end_of_a_deadline_is_the_reason() -> None:
    row = next(each for each in _RECORDED if "DeadlineExceeded" in json.dumps(each["object"]))
    found = status(row["object"])
    assert (found.state, found.reason) == ("Failed", "DeadlineExceeded")
    assert found.finished == "2026-11-23T07:17:15Z"


def test_an_object_without_a_status_is_reported_after_thirty_seconds() -> None:
    row = next(each for each in _RECORDED if each["name"].startswith("JobSet-created"))
    created = datetime.fromisoformat(row["object"]["metadata"]["creationTimestamp"])
    reasons = [status(row["object"], now=(created + timedelta(seconds=late)).isoformat()).reason for late in (29, 31)]
    assert reasons == ["", "NoStatus"]


def _workload(message: str = "", *, active: bool = True, reserved: str = "False") -> Any:
    held = [{"type": "QuotaReserved", "status": reserved, "reason": "Pending", "message": message}]
    return {"spec": {"active": active}, "status": {"conditions": held if message else []}}


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        # Recorded with Kueue 0.19.
        (
            "couldn't assign flavors to pod set node: insufficient unused quota for nvidia.com/gpu in flavor default",
            "Queued",
        ),
        ("LocalQueue main doesn't exist", "QueueMissing"),
        ("LocalQueue main is inactive", "QueueMissing"),
        ("ClusterQueue cluster doesn't exist", "QueueMissing"),
        ("workload namespace doesn't match ClusterQueue selector", "QueueMissing"),
        ("", "Queued"),
    ],
)
def test_what_kueue_says_of_a_queued_job(message: str, reason: str) -> None:
    row = next(each for each in _RECORDED if each["name"] == "JobSet-queued-10")
    body = row["object"]
    body = {**body, "metadata": {**body["metadata"], "labels": {"kueue.x-k8s.io/queue-name": "main"}}}
    found = status(body, workload=_workload(message), has_kueue=True)
    assert (found.state, found.reason, found.queue) == ("Pending", reason, "main")
    assert message in found.message
    assert status(body, workload=_workload(message, active=False), has_kueue=True).state == "Suspended"
    assert status(body).state == "Suspended"


@pytest.mark.parametrize(("ended", "state"), [("", "Gone"), ("DeadlineExceeded", "Failed")])
def test_a_run_that_no_longer_exists(ended: str, state: str) -> None:
    entry = InventoryEntry("ns_a_jobset.x-k8s.io_JobSet", "v1alpha2", "7", "", "started", "", ended)
    row = next(each for each in _RECORDED if each["object"]["kind"] == "JobSet")
    found = status_of(SeenJob(FoundJob(identity_of(row["object"]), entry=entry), ""))
    assert (found.state, found.reason, found.uid) == (state, ended, "7")


@pytest.mark.parametrize(
    ("seconds", "text"),
    # From the tests of HumanDuration in k8s.io/apimachinery pkg/util/duration.
    [
        (1, "1s"),
        (70, "70s"),
        (190, "3m10s"),
        (600, "10m"),
        (47 * 60, "47m"),
        (3 * 3600, "3h"),
        (3 * 3600 + 49 * 60, "3h49m"),
        (8 * 3600, "8h"),
        (9 * 3600 + 47 * 60, "9h"),
        (48 * 3600, "2d"),
        (49 * 3600, "2d1h"),
        (8 * 86400, "8d"),
        (9 * 86400 + 3600, "9d"),
    ],
)
def test_an_age_is_written_like_kubectl(seconds: int, text: str) -> None:
    assert age(seconds) == text
