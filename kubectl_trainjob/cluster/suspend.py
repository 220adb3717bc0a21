"""Suspends jobs and lets them continue: by `spec.suspend`, or where Kueue decides about it by the Workload.

`spec.suspend` belongs to a field manager that is only used here. An apply then does not remove it, and to resume is to
give the field up: no one has to own `false`. Measured on Kubernetes 1.36 with JobSet 0.12 and Kueue 0.19.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from kubectl_trainjob.cluster import kueue
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.jobs.find import FoundJob
from kubectl_trainjob.cluster.runs import ending, has_queue
from kubectl_trainjob.kube.updates.managed_fields import managers_of
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId, identity_of

SUSPENDER = "kubectl-trainjob-suspend"

_FIELD = ("f:spec", "f:suspend")


class SuspendResult(NamedTuple):
    """What happened to one job; the message says why it failed."""

    id: ObjectId
    outcome: Literal["suspended", "resumed", "unchanged", "failed"]
    message: str = ""


def set_suspended(api: Api, job: FoundJob, wanted: bool, *, dry_run: bool = False) -> SuspendResult:
    """Suspend a job, or let it continue."""
    run = job.run
    if run is None or ending(run):
        return SuspendResult(job.id, "failed", "the job no longer exists" if run is None else "the job has ended")
    try:
        workload = kueue.workload_of(api, run)
        if workload is not None:
            return _in_queue(api, job.id, workload, wanted, dry_run)
        if has_queue(run) and kueue.version(api):
            return SuspendResult(job.id, "failed", "Kueue has not created its Workload; try again later")
        return _in_spec(api, job.id, run, wanted, dry_run)
    except ApiError as error:
        return SuspendResult(job.id, "failed", f"{error.reason}: {error.message}")


def _in_queue(api: Api, identity: ObjectId, workload: Body, wanted: bool, dry_run: bool) -> SuspendResult:
    if (value_at(workload, ("spec", "active")) is False) is wanted:
        return SuspendResult(identity, "unchanged")
    api.merge(identity_of(workload), {"spec": {"active": not wanted}}, dry_run=dry_run)
    return SuspendResult(identity, "suspended" if wanted else "resumed")


def _in_spec(api: Api, identity: ObjectId, run: Body, wanted: bool, dry_run: bool) -> SuspendResult:
    if _is_suspended(run) is wanted:
        return SuspendResult(identity, "unchanged")
    metadata = {"name": identity.name, "namespace": identity.namespace, "uid": run["metadata"]["uid"]}
    body: dict[str, Any] = {"apiVersion": identity.api_version, "kind": identity.kind, "metadata": metadata}
    if wanted:
        body["spec"] = {"suspend": True}
    answer = api.apply(body, dry_run=dry_run, force=True, manager=SUSPENDER)
    if _is_suspended(answer) is wanted:
        return SuspendResult(identity, "suspended" if wanted else "resumed")
    owners = sorted(name for name, _, fields in managers_of(answer) if value_at(fields, _FIELD) is not None)
    who = f"the field manager {', '.join(map(repr, owners))} sets" if owners else "the object has"
    return SuspendResult(identity, "failed", f"the job is still suspended: {who} spec.suspend; change it there")


def _is_suspended(run: Body) -> bool:
    return value_at(run, ("spec", "suspend")) is True
