"""Runs: the objects that start Pods (JobSets, TrainJobs, Jobs), and the state of a live one."""

from __future__ import annotations

from typing import Literal

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.kube.facts.kinds import is_job
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

RunState = Literal["running", "suspended", "terminal"]


def is_run(identity: ObjectId) -> bool:
    """Whether the object starts Pods."""
    return is_job(identity) or (identity.api_version, identity.kind) == ("batch/v1", "Job")


def state_of(live: Body) -> RunState:
    """The state of a live run. A queued run is suspended; a run whose Pods wait is running."""
    if ending(live):
        return "terminal"
    return "suspended" if value_at(live, ("spec", "suspend")) is True else "running"


def ending(live: Body) -> Literal["", "Completed", "Failed"]:
    """How a terminal run ended."""
    terminal = value_at(live, ("status", "terminalState"))
    if terminal in ("Completed", "Failed"):
        return "Completed" if terminal == "Completed" else "Failed"
    true_types = {each.get("type") for each in conditions(live) if each.get("status") == "True"}
    if "Failed" in true_types:
        return "Failed"
    return "Completed" if true_types & {"Complete", "Completed"} else ""


def conditions(live: Body) -> list[Body]:
    """The conditions in the status."""
    found = value_at(live, ("status", "conditions"))
    return found if isinstance(found, list) else []


def has_queue(body: Body) -> bool:
    """Whether Kueue decides when the run starts."""
    return bool(marks.label(body, KUEUE_QUEUE_LABEL))


def is_disabled(live: Body, annotation: str) -> bool:
    """Whether a user set an annotation of a live object to `disabled`."""
    return marks.annotation(live, annotation) == marks.DISABLED


def is_deleting(live: Body) -> bool:
    """Whether the object is being deleted."""
    return bool(live["metadata"].get("deletionTimestamp"))
