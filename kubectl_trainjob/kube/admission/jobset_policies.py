"""Success and failure policies and the coordinator of a JobSet.

Mirrors sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go (validateFailurePolicy, validateCoordinator), v0.12, with the
gates InPlaceRestart and RestartJob off, as they are by default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import label_value
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import (
    COORDINATOR_INVALID,
    FAILURE_RULE_INVALID,
    FEATURE_GATED_FIELD,
    POLICY_TARGET_UNKNOWN,
)
from kubectl_trainjob.model.source import Pointer

_REASONS = ("BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy")
_GATED_ACTIONS = ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
_RULE_NAME = r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_LONGEST_RULE_NAME = 128
_POLICY: Pointer = ("spec", "failurePolicy")
_COORDINATOR: Pointer = ("spec", "coordinator")


def success_problems(policy: Mapping[str, Any], jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """The success policy names replicatedJobs that exist."""
    return _targets(policy, ("spec", "successPolicy"), jobs)


def failure_problems(policy: Mapping[str, Any] | None, jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """Gated features, names, targets and reasons of failure rules."""
    if policy is None:
        return
    if policy.get("restartStrategy") == "InPlaceRestart":
        message = say("restartStrategy InPlaceRestart needs JobSet's gate InPlaceRestart, which is off; use Recreate")
        yield Problem(FEATURE_GATED_FIELD, (*_POLICY, "restartStrategy"), message)
    rules = policy.get("rules", [])
    gated = [index for index, rule in enumerate(rules) if rule.get("action") in _GATED_ACTIONS]
    for index in gated:
        message = say(
            "action {} needs JobSet's gate RestartJob, which is off; use RestartJobSet", rules[index]["action"]
        )
        yield Problem(FEATURE_GATED_FIELD, (*_POLICY, "rules", index, "action"), message)
    if gated:
        return
    first: dict[str, Pointer] = {}
    for index, rule in enumerate(rules):
        place = (*_POLICY, "rules", index)
        yield from _rule_name(rule["name"], (*place, "name"), first)
        yield from _targets(rule, place, jobs)
        yield from _reasons(rule, place)


def _rule_name(name: str, place: Pointer, first: dict[str, Pointer]) -> Iterator[Problem]:
    if len(name.encode()) > _LONGEST_RULE_NAME:
        message = say('name "{}" is longer than {} characters; shorten it', name, _LONGEST_RULE_NAME)
        yield Problem(FAILURE_RULE_INVALID, place, message)
    if not re.fullmatch(_RULE_NAME, name):
        message = say(
            "name \"{}\" must be letters, digits and '_,:', start with a letter, not end with ',' or ':'", name
        )
        yield Problem(FAILURE_RULE_INVALID, place, message)
    if name in first:
        message = say('an earlier rule has the name "{}", too; use another one', name)
        yield Problem(FAILURE_RULE_INVALID, place, message, related=((say("first one"), first[name]),))
    first.setdefault(name, place)


def _targets(policy: Mapping[str, Any], place: Pointer, jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    names = dict.fromkeys(job["name"] for job in jobs)
    for index, target in enumerate(policy.get("targetReplicatedJobs", ())):
        if target not in names:
            yield Problem(POLICY_TARGET_UNKNOWN, (*place, "targetReplicatedJobs", index), _unknown(target, names))


def _unknown(name: str, names: Iterable[str]) -> Message:
    return say('replicatedJob "{}" does not exist; the JobSet has {}', name, listed(names) or say("none"))


def _reasons(rule: Mapping[str, Any], place: Pointer) -> Iterator[Problem]:
    for index, reason in enumerate(rule.get("onJobFailureReasons", ())):
        if reason not in _REASONS:
            message = say('Jobs do not fail with the reason "{}"; use {}', reason, listed(_REASONS, "or", "{}"))
            yield Problem(FAILURE_RULE_INVALID, (*place, "onJobFailureReasons", index), message)


def coordinator_problems(jobset: str, spec: Mapping[str, Any], jobs: list[Mapping[str, Any]]) -> Iterator[Problem]:
    """The coordinator's Pod exists, and its host name fits a label."""
    coordinator = spec.get("coordinator")
    if coordinator is None:
        return
    name, job_index, pod_index = (coordinator.get(key, 0) for key in ("replicatedJob", "jobIndex", "podIndex"))
    job = next((job for job in jobs if job["name"] == name), None)
    if job is None:
        message = _unknown(name, [job["name"] for job in jobs])
        yield Problem(COORDINATOR_INVALID, (*_COORDINATOR, "replicatedJob"), message)
    else:
        yield from _coordinator_indexes(job, job_index, pod_index)
    host = f"{jobset}-{name}-{job_index}-{pod_index}.{spec['network'].get('subdomain') or jobset}"
    if error := label_value(host):
        message = say(
            'the coordinator\'s host name "{}" {}; shorten the name of the TrainJob or the replicatedJob', host, error
        )
        yield Problem(COORDINATOR_INVALID, _COORDINATOR, message, "key")


def _coordinator_indexes(job: Mapping[str, Any], job_index: int, pod_index: int) -> Iterator[Problem]:
    name, spec, replicas = job["name"], job["template"]["spec"], job["replicas"]
    completions = spec.get("completions")
    if not 0 <= job_index < replicas:
        message = say('jobIndex {} is out of range; "{}" has {} replicas, counted from 0', job_index, name, replicas)
        yield Problem(COORDINATOR_INVALID, (*_COORDINATOR, "jobIndex"), message)
    elif completions is None or spec["completionMode"] != "Indexed":
        message = say('replicatedJob "{}" must be Indexed and have completions to be the coordinator', name)
        yield Problem(COORDINATOR_INVALID, (*_COORDINATOR, "replicatedJob"), message)
    elif not 0 <= pod_index < completions:
        message = say('podIndex {} is out of range; "{}" has {} Pods, counted from 0', pod_index, name, completions)
        yield Problem(COORDINATOR_INVALID, (*_COORDINATOR, "podIndex"), message)
