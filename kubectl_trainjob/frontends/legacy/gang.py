"""The gang of a job, as podGroupPolicy of a runtime.

The scheduler is an option of the operator and not in the file: a user has to check it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.notes import MigrationNote, ask
from kubectl_trainjob.frontends.legacy.operators import LegacyJob
from kubectl_trainjob.kube.facts.trainer import VOLCANO_QUEUE_ANNOTATION
from kubectl_trainjob.model.message import say

VOLCANO, COSCHEDULING = "volcano", "coscheduling"
_SCHEDULERS = {VOLCANO: "volcano", COSCHEDULING: "scheduler-plugins-scheduler"}
_DEFAULT_QUEUE = "default"


class Gang(NamedTuple):
    """The gang settings of a runtime; all empty without a gang."""

    policy: dict[str, Any]
    annotations: dict[str, str]
    scheduler: str
    notes: tuple[MigrationNote, ...] = ()


def gang_of(job: LegacyJob, *, counts_all: bool = True) -> Gang:
    """The gang of a job; `counts_all` says whether Trainer's PodGroup counts each Pod."""
    policy = job.run_policy.get("schedulingPolicy")
    if policy is None:
        return Gang({}, {}, "")
    kind = _scheduler(policy)
    settings: dict[str, Any] = {}
    timeout = policy.get("scheduleTimeoutSeconds")
    if kind == COSCHEDULING and timeout is not None:
        settings["scheduleTimeoutSeconds"] = timeout
    annotations = {}
    if kind == VOLCANO and policy.get("queue", _DEFAULT_QUEUE) != _DEFAULT_QUEUE:
        annotations[VOLCANO_QUEUE_ANNOTATION] = policy["queue"]
    notes = tuple(_notes(job, policy, kind, counts_all=counts_all))
    return Gang({kind: settings}, annotations, _SCHEDULERS[kind], notes)


def _scheduler(policy: Any) -> str:
    has_timeout = "scheduleTimeoutSeconds" in policy
    return COSCHEDULING if has_timeout and "priorityClass" not in policy else VOLCANO


def _notes(job: LegacyJob, policy: Any, kind: str, *, counts_all: bool) -> Iterator[MigrationNote]:
    at = ("spec", "runPolicy", "schedulingPolicy")
    message = say(
        "schedulingPolicy: the scheduler of the gang is not in the file, and {} is assumed; check podGroupPolicy and "
        "schedulerName in the runtime",
        kind,
    )
    yield ask(message, *at)
    least = policy.get("minAvailable")
    if (least is not None and least != job.pods) or not counts_all:
        message = say("minAvailable: the PodGroup of Trainer counts other Pods; check its minMember in a build")
        yield ask(message, *at, "minAvailable")
    if policy.get("minResources"):
        yield ask(say("minResources cannot be set: Trainer sums the requests of all Pods"), *at, "minResources")
    pods = {role.pod.get("priorityClassName") for role in job.roles}
    if policy.get("priorityClass") and pods != {policy["priorityClass"]}:
        message = say("priorityClass of the gang cannot be set: Trainer uses priorityClassName of the Pods")
        yield ask(message, *at, "priorityClass")
    if kind == VOLCANO and "scheduleTimeoutSeconds" in policy:
        yield ask(say("scheduleTimeoutSeconds has no equal in Volcano"), *at, "scheduleTimeoutSeconds")
    if kind == COSCHEDULING and "queue" in policy:
        yield ask(say("queue has no equal in coscheduling"), *at, "queue")
