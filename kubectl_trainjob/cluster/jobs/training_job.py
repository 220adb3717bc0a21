"""The status of a TrainingJob of OME in the words of its documentation, from that of its JobSet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts import ome
from kubectl_trainjob.model.edited_object import AppliedEdits
from kubectl_trainjob.model.source import Source, value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_COUNTS = ("ready", "succeeded", "failed", "active", "suspended")
_WORDS = {"Completed": "Succeeded", "Failed": "Failed", "Suspended": "Suspended"}


def training_job_of(source: Source) -> ObjectId | None:
    """The TrainingJob that an object in the files is converted from, None for any other object."""
    while isinstance(edits := source.edits, AppliedEdits):
        if (edits.before.id.api_version, edits.before.id.kind) == (ome.API_VERSION, ome.TRAINING_JOB):
            return edits.before.id
        source = edits.before.source
    return None


def training_job_status(jobset: Body) -> dict[str, Any]:
    """`jobsStatus`, `conditions`, `retryCount` and `startTime`, from a JobSet of the cluster.

    Only the condition that is true now is listed: OME's documentation has no others.
    """
    status: Mapping[str, Any] = jobset.get("status") or {}
    return {
        "jobsStatus": [
            {"name": each.get("name"), **{count: each.get(count, 0) for count in _COUNTS}}
            for each in status.get("replicatedJobsStatus") or ()
        ],
        "conditions": list(_conditions(jobset)),
        "retryCount": status.get("restarts", 0),
        "startTime": _started(jobset),
    }


def _conditions(jobset: Body) -> Iterator[dict[str, Any]]:
    """The one condition that is true now: an end, else the suspension, else that Pods run."""
    specified: list[dict[str, Any]] = value_at(jobset, ("status", "conditions")) or []
    true = {each.get("type"): each for each in specified if each.get("status") == "True"}
    counts = value_at(jobset, ("status", "replicatedJobsStatus")) or ()
    found = next((name for name in ("Completed", "Failed") if name in true), "")
    if not found and value_at(jobset, ("spec", "suspend")) is True:
        found = "Suspended"
    if found:
        yield {**true.get(found, {"status": "True"}), "type": _WORDS[found]}
    elif any(each.get("active") or each.get("ready") for each in counts):
        since = _started(jobset)
        yield {"type": "Running", "status": "True", "lastTransitionTime": since, "reason": "JobStarted"}


def _started(jobset: Body) -> str:
    """When the JobSet last began to run: when it was resumed, else when it was created."""
    for each in value_at(jobset, ("status", "conditions")) or ():
        if each.get("type") == "Suspended" and each.get("status") == "False":
            return str(each.get("lastTransitionTime", ""))
    return str(value_at(jobset, ("metadata", "creationTimestamp")) or "")
