"""A Job that the JobSet controller makes of a replicatedJob.

Mirrors k8s.io/kubernetes/pkg/apis/batch/validation (ValidateJob), and what pkg/registry/batch/job makes of a Job before
that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import LABEL_LENGTH, domain_prefixed_path
from kubectl_trainjob.kube.pods.generated import completions_of, generated_labels, is_indexed, job_name
from kubectl_trainjob.kube.pods.metadata import annotation_keys, pod_annotations, profiles_agree
from kubectl_trainjob.kube.pods.pod import pod_spec
from kubectl_trainjob.kube.pods.pod_failure_policy import pod_failure_policy
from kubectl_trainjob.kube.pods.selectors import labels
from kubectl_trainjob.kube.pods.visit import Visit
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.rules import JOB_COUNT_INVALID, POD_FAILURE_POLICY_INVALID, RESTART_POLICY_INVALID

_COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_MANY = 100_000
_FEWER = 10_000
_REPLACEMENTS = ("Failed", "TerminatingOrFailed")
_MOST_RULES = 20
_LONGEST_INDEXES = 64 * 1024
_INTERVAL = re.compile(r"([+-]?[0-9]+)(?:-([+-]?[0-9]+))?")


def job(name: str, template: Mapping[str, Any], visit: Visit) -> None:
    """The Job `name` made of a replicatedJob's template, at which `visit` stands."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    pod_template = spec.get("template") or {}
    _metadata(metadata, visit)
    visit.trail.append("spec")
    visit.trail.append("template")
    _pod_template(pod_template, visit)
    visit.trail.pop()
    generated_labels(name, spec, visit)
    _counts(spec, visit)
    _restart_policy(spec, pod_template.get("spec") or {}, visit)
    _policies(spec, visit)
    visit.trail.pop()
    job_name(name, spec, visit)


def _metadata(metadata: Mapping[str, Any], visit: Visit) -> None:
    if metadata:
        visit.trail.append("metadata")
        for key, check in (("labels", labels), ("annotations", annotation_keys)):
            if metadata.get(key):
                visit.enter(key, metadata[key], check)
        visit.trail.pop()


def _pod_template(template: Mapping[str, Any], visit: Visit) -> None:
    metadata = template.get("metadata") or {}
    visit.trail.append("spec")
    pod_spec(template.get("spec") or {}, visit)
    if stated := metadata.get("annotations"):
        profiles_agree(stated, visit)
    visit.trail.pop()
    _metadata(metadata, visit)
    if stated:
        visit.trail.append("metadata")
        visit.enter("annotations", stated, pod_annotations)
        visit.trail.pop()


def _counts(spec: Mapping[str, Any], visit: Visit) -> None:
    for key in _COUNTS:
        number = spec.get(key)
        if number is not None and number < 0:
            visit.refuse(f"{key} {quoted(number)} must be 0 or more", key, rule=JOB_COUNT_INVALID)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        message = "maxFailedIndexes needs backoffLimitPerIndex; add it"
        shown = ("maxFailedIndexes",)
        visit.refuse(message, "backoffLimitPerIndex", rule=JOB_COUNT_INVALID, shown=shown, on="key")
    if is_indexed(spec):
        _indexed(spec, visit)
    else:
        _not_indexed(spec, visit)


def _indexed(spec: Mapping[str, Any], visit: Visit) -> None:
    completions, failed = completions_of(spec), spec.get("maxFailedIndexes")
    parallelism, per_index = spec.get("parallelism") or 0, spec.get("backoffLimitPerIndex")
    if completions is None:
        visit.refuse("a Job in mode Indexed needs completions; add it", "completions", rule=JOB_COUNT_INVALID)
    many = per_index is not None and (completions or 0) > _MANY
    most = _FEWER if many else _MANY
    if parallelism > most:
        message = f"parallelism {quoted(parallelism)} must be no more than {most}"
        visit.refuse(message, "parallelism", rule=JOB_COUNT_INVALID)
    if failed is not None:
        most = min(most, _MANY if completions is None else completions)
        if failed > most:
            message = f"maxFailedIndexes {quoted(failed)} must be no more than {most}"
            visit.refuse(message, "maxFailedIndexes", rule=JOB_COUNT_INVALID)
    elif many:
        message = f"more than {_MANY} completions with backoffLimitPerIndex need maxFailedIndexes; add it"
        visit.refuse(message, "maxFailedIndexes", rule=JOB_COUNT_INVALID)


def _not_indexed(spec: Mapping[str, Any], visit: Visit) -> None:
    mode = spec["completionMode"]
    if mode != "NonIndexed":
        visit.refuse(f"completionMode {quoted(mode)} does not exist; use Indexed or NonIndexed", "completionMode")
    else:
        for key in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(key) is not None:
                visit.refuse(f"{key} needs completionMode: Indexed; correct one of both", key, rule=JOB_COUNT_INVALID)
    if spec.get("successPolicy") is not None:
        message = "successPolicy needs completionMode: Indexed; correct one of both"
        visit.refuse(message, "successPolicy", rule=JOB_COUNT_INVALID, on="key")


def _restart_policy(spec: Mapping[str, Any], pod: Mapping[str, Any], visit: Visit) -> None:
    policy = pod.get("restartPolicy") or "OnFailure"
    if policy == "Never" or (policy == "OnFailure" and spec.get("podFailurePolicy") is None):
        return
    if policy == "OnFailure":
        message = 'podFailurePolicy needs Pods that do not restart; set restartPolicy "Never"'
    else:
        message = f"restartPolicy is {quoted(policy)}, but a Job allows only Never and OnFailure; use one of them"
    visit.refuse(message, "template", "spec", "restartPolicy", rule=RESTART_POLICY_INVALID)


def _policies(spec: Mapping[str, Any], visit: Visit) -> None:
    if spec.get("podFailurePolicy") is not None:
        pod_failure_policy(spec, visit)
    if spec.get("successPolicy") is not None and is_indexed(spec):
        _success(spec, visit)
    if (replacement := spec.get("podReplacementPolicy")) is not None:
        _replacement(replacement, spec, visit)
    if (manager := spec.get("managedBy")) is not None:
        _manager(manager, visit)


def _success(spec: Mapping[str, Any], visit: Visit) -> None:
    before, visit.rule = visit.rule, JOB_COUNT_INVALID
    visit.trail.append("successPolicy")
    success_policy(spec["successPolicy"], completions_of(spec) or 0, visit)
    visit.trail.pop()
    visit.rule = before


def _replacement(policy: str, spec: Mapping[str, Any], visit: Visit) -> None:
    if spec.get("podFailurePolicy") is not None:
        if policy != _REPLACEMENTS[0]:
            message = "podFailurePolicy needs podReplacementPolicy: Failed; correct it"
            visit.refuse(message, "podReplacementPolicy", rule=POD_FAILURE_POLICY_INVALID)
    elif policy not in _REPLACEMENTS:
        message = f"podReplacementPolicy {quoted(policy)} does not exist; use Failed or TerminatingOrFailed"
        visit.refuse(message, "podReplacementPolicy")


def _manager(manager: str, visit: Visit) -> None:
    fault = domain_prefixed_path(manager)
    if not fault and len(manager.encode()) > LABEL_LENGTH:
        fault = f"must be no more than {LABEL_LENGTH} characters"
    if fault:
        visit.refuse(f"managedBy {quoted(manager)} {fault}", "managedBy")


def success_policy(value: Mapping[str, Any], completions: int, visit: Visit) -> None:
    """The policy of a Job with so many completions; `visit` stands at the policy."""
    rules = value.get("rules") or ()
    if not rules:
        visit.refuse("successPolicy has no rules; add one or remove it", "rules")
    elif len(rules) > _MOST_RULES:
        visit.refuse(f"there are more than {_MOST_RULES} rules; remove some", "rules", on="key")
    for index, rule in enumerate(rules):
        visit.trail += ("rules", index)
        _rule(rule, completions, visit)
        del visit.trail[-2:]


def _rule(rule: Mapping[str, Any], completions: int, visit: Visit) -> None:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        visit.refuse("a rule needs succeededCount or succeededIndexes; add one")
    listed_indexes = None
    if indexes is not None:
        listed_indexes = _number_of(indexes, completions)
        if listed_indexes is None or len(indexes.encode()) > _LONGEST_INDEXES:
            message = f"succeededIndexes {quoted(indexes)} must be rising, such as 0,2-4, and below {completions}"
            visit.refuse(message, "succeededIndexes")
    if count is None:
        return
    most = completions if indexes is None else min(completions, listed_indexes or 0)
    if not 0 <= count <= most:
        visit.refuse(f"succeededCount {quoted(count)} must be between 0 and {most}", "succeededCount")


def _number_of(indexes: str, completions: int) -> int | None:
    """How many Pods the text names, None where it is no rising list of theirs."""
    last, total = None, 0
    for interval in indexes.split(",") if indexes else ():
        match = _INTERVAL.fullmatch(interval)
        if match is None or interval.startswith("-"):
            return None
        first = int(match[1])
        end = first if match[2] is None else int(match[2])
        if end >= completions or (match[2] is not None and first >= end) or (last is not None and last >= first):
            return None
        total, last = total + end - first + 1, end
    return total
