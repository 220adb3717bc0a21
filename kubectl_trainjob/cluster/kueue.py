"""What Kueue owns of a run: we neither send nor compare it. Measured with Kueue 0.19."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.cluster.api import MANAGER, Api
from kubectl_trainjob.cluster.runs import has_queue
from kubectl_trainjob.kube.updates.managed_fields import fields_of, without
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_VERSIONS = ("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1")
JOB_UID = "kueue.x-k8s.io/job-uid"


def to_create(api: Api, body: Body) -> Body:
    """What to send for a new run: Kueue suspends a queued one, and `suspend: false` would start it."""
    is_queued = has_queue(body) and value_at(body, ("spec", "suspend")) is False and version(api)
    return _without_suspend(body) if is_queued else body


def to_apply(api: Api, live: Body, body: Body) -> Body:
    """What to send for a live run: without the fields that Kueue owns; in a queue, a `suspend: true` of ours stays."""
    kept: Body = without(body, fields_of(live, "kueue", "Update"))
    if not has_queue(body) or value_at(kept, ("spec", "suspend")) is True or not version(api):
        return kept
    ours = value_at(fields_of(live, MANAGER, "Apply"), ("f:spec", "f:suspend"))
    if ours is not None and value_at(live, ("spec", "suspend")) is True:
        return {**kept, "spec": {**kept["spec"], "suspend": True}}
    return _without_suspend(kept)


def version(api: Api) -> str:
    """The apiVersion of Kueue's Workloads, "" where Kueue is not installed."""
    return next((each for each in _VERSIONS if api.has_kind(each, "Workload")), "")


def workload_of(api: Api, live: Body) -> Any:
    """The Workload of a run, None for none."""
    installed = version(api)
    if not installed:
        return None
    namespace, uid = live["metadata"].get("namespace", ""), live["metadata"]["uid"]
    resource = api.resource(ObjectId(installed, "Workload", namespace, ""))
    return next(iter(api.list(resource, namespace, f"{JOB_UID}={uid}")), None)


def leaves_queue(api: Api, live: Body, body: Body) -> bool:
    """Whether the update removes the queue of a run that has a Workload, which would keep its quota for ever."""
    return has_queue(live) and not has_queue(body) and workload_of(api, live) is not None


def _without_suspend(body: Body) -> Body:
    return {**body, "spec": {key: value for key, value in body["spec"].items() if key != "suspend"}}
