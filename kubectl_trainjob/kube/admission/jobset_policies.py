"""Success and failure policies and the coordinator of a JobSet.

Mirrors sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go (validateFailurePolicy, validateCoordinator), v0.12, with the
gates InPlaceRestart and RestartJob off, as they are by default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import label_value
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import (
    COORDINATOR_INVALID,
    FAILURE_RULE_INVALID,
    FEATURE_GATED_FIELD,
    POLICY_TARGET_UNKNOWN,
)
from kubectl_trainjob.model.source import Pointer

REASONS = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
)
GATED_ACTIONS = ("RestartJob", "RestartJobAndIgnoreMaxRestarts")

_RULE_NAME = r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_LONGEST_RULE_NAME = 128
_POLICY: Pointer = ("spec", "failurePolicy")
_COORDINATOR: Pointer = ("spec", "coordinator")

Jobs = list[Mapping[str, Any]]


def target_problems(spec: Mapping[str, Any], jobs: Jobs) -> Iterator[Problem]:
    """The success policy names replicatedJobs that exist."""
    return _targets(spec["successPolicy"], ("spec", "successPolicy"), jobs)


def failure_problems(policy: Mapping[str, Any] | None, jobs: Jobs) -> Iterator[Problem]:
    """Gated features, names, targets and reasons of failure rules."""
    if policy is None:
        return
    if policy.get("restartStrategy") == "InPlaceRestart":
        message = "restartStrategy InPlaceRestart needs JobSet's gate InPlaceRestart, which is off; use Recreate"
        yield Problem(FEATURE_GATED_FIELD, (*_POLICY, "restartStrategy"), message)
    rules = policy.get("rules", [])
    for index, rule in enumerate(rules):
        if rule.get("action") in GATED_ACTIONS:
            message = f"action {rule['action']} needs JobSet's gate RestartJob, which is off; use RestartJobSet"
            yield Problem(FEATURE_GATED_FIELD, (*_POLICY, "rules", index, "action"), message)
    if any(rule.get("action") in GATED_ACTIONS for rule in rules):
        return
    first: dict[str, int] = {}
    for index, rule in enumerate(rules):
        yield from _rule_name(rule["name"], index, first)
        yield from _targets(rule, (*_POLICY, "rules", index), jobs)
        yield from _reasons(rule, (*_POLICY, "rules", index))


def _rule_name(name: str, index: int, first: dict[str, int]) -> Iterator[Problem]:
    place: Pointer = (*_POLICY, "rules", index, "name")
    if len(name.encode()) > _LONGEST_RULE_NAME:
        yield Problem(
            FAILURE_RULE_INVALID, place, f"name {quoted(name)} is longer than {_LONGEST_RULE_NAME} characters"
        )
    if not re.fullmatch(_RULE_NAME, name):
        message = f"name {quoted(name)} must be letters, digits and '_,:', start with a letter, not end with ',' or ':'"
        yield Problem(FAILURE_RULE_INVALID, place, message)
    if name in first:
        message = f"name {quoted(name)} is taken by an earlier rule; use another"
        related = (("first one", (*_POLICY, "rules", first[name], "name")),)
        yield Problem(FAILURE_RULE_INVALID, place, message, related=related)
    first.setdefault(name, index)


def _targets(policy: Mapping[str, Any], place: Pointer, jobs: Jobs) -> Iterator[Problem]:
    names = [job["name"] for job in jobs]
    for index, target in enumerate(policy.get("targetReplicatedJobs", ())):
        if target not in names:
            message = (
                f"replicatedJob {quoted(target)} does not exist; there are {', '.join(map(quoted, names)) or 'none'}"
            )
            yield Problem(POLICY_TARGET_UNKNOWN, (*place, "targetReplicatedJobs", index), message)


def _reasons(rule: Mapping[str, Any], place: Pointer) -> Iterator[Problem]:
    for index, reason in enumerate(rule.get("onJobFailureReasons", ())):
        if reason not in REASONS:
            message = f"reason {quoted(reason)} is none that Jobs fail with; use one of {', '.join(REASONS)}"
            yield Problem(FAILURE_RULE_INVALID, (*place, "onJobFailureReasons", index), message)


def coordinator_problems(jobset: str, spec: Mapping[str, Any], jobs: Jobs) -> Iterator[Problem]:
    """The coordinator's Pod exists, and its host name fits a label."""
    coordinator = spec["coordinator"]
    name, job_index, pod_index = (
        coordinator["replicatedJob"],
        coordinator.get("jobIndex", 0),
        coordinator.get("podIndex", 0),
    )
    job = next((job for job in jobs if job["name"] == name), None)
    if job is None:
        names = ", ".join(quoted(job["name"]) for job in jobs) or "none"
        message = f"replicatedJob {quoted(name)} does not exist; there are {names}"
        yield Problem(COORDINATOR_INVALID, (*_COORDINATOR, "replicatedJob"), message)
    else:
        yield from _coordinator_indexes(job, job_index, pod_index)
    host = f"{jobset}-{name}-{job_index}-{pod_index}.{spec['network'].get('subdomain') or jobset}"
    if fault := label_value(host):
        message = (
            f"the coordinator's host name {quoted(host)} {fault}; shorten the name of the TrainJob or the replicatedJob"
        )
        yield Problem(COORDINATOR_INVALID, _COORDINATOR, message, "key")


def _coordinator_indexes(job: Mapping[str, Any], job_index: int, pod_index: int) -> Iterator[Problem]:
    spec = job["template"]["spec"]
    completions = spec.get("completions")
    if not 0 <= job_index < job["replicas"]:
        message = f"jobIndex {job_index} is outside the {job['replicas']} replicas of {quoted(job['name'])}"
        yield Problem(COORDINATOR_INVALID, (*_COORDINATOR, "jobIndex"), message)
    elif completions is None or spec["completionMode"] != "Indexed":
        message = f"replicatedJob {quoted(job['name'])} must be Indexed with completions to hold the coordinator"
        yield Problem(COORDINATOR_INVALID, (*_COORDINATOR, "replicatedJob"), message)
    elif not 0 <= pod_index < completions:
        message = f"podIndex {pod_index} is outside the {completions} Pods of {quoted(job['name'])}"
        yield Problem(COORDINATOR_INVALID, (*_COORDINATOR, "podIndex"), message)
