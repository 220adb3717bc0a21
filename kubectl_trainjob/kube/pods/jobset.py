"""The Jobs that the JobSet controller creates from a JobSet, and whether kube-apiserver accepts them.

Mirrors the creation of a Job in kube-apiserver 1.36: defaults, fields that gates drop, and ValidateJob in
k8s.io/kubernetes/pkg/apis/batch/validation. The Job is the first one of each replicatedJob, as the JobSet controller
creates it (sigs.k8s.io/jobset pkg/controllers, constructJob, addVolumes).
"""

from __future__ import annotations

import re
from functools import partial

from kubectl_trainjob.kube.facts.validation import LABEL_LENGTH, domain_prefixed_path, qualified_name, too_long
from kubectl_trainjob.kube.pods.metadata import (
    annotation_keys,
    check_profiles,
    completions_of,
    generated_labels,
    is_indexed,
    job_name,
    pod_annotations,
)
from kubectl_trainjob.kube.pods.pod import pod_spec
from kubectl_trainjob.kube.pods.selectors import labels
from kubectl_trainjob.kube.pods.visit import Check, PodCache, Visit, under_rule
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import JOB_COUNT_INVALID, POD_FAILURE_POLICY_INVALID, RESTART_POLICY_INVALID
from kubectl_trainjob.model.stages import Body

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_STATUSES = ("True", "False", "Unknown")
_MOST_RULES = 20
_MOST_PATTERNS = 20
_MOST_CODES = 255
_LONGEST_INDEXES = 64 * 1024
_INTERVAL = r"([+-]?[0-9]+)(?:-([+-]?[0-9]+))?"


def _check_failure_rules(spec: Body, rules: list[Body], visit: Visit) -> None:
    """The rules of a Job's podFailurePolicy, which are the current value."""
    visit.check_at_most(len(rules), _MOST_RULES, "rules")
    for rule in visit.items(rules):
        action, codes, conditions = rule.get("action") or "", rule.get("onExitCodes"), rule.get("onPodConditions") or ()
        visit.check_choice("action", action, _ACTIONS, "action")
        if action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            visit.reject(say("action FailIndex needs the Job's backoffLimitPerIndex; add it or use FailJob"), "action")
        if codes is not None:
            visit.enter("onExitCodes", codes, _check_exit_codes)
        if conditions:
            visit.enter("onPodConditions", conditions, _check_conditions)
        if (codes is None) == (not conditions):
            visit.reject(say("a rule needs either onExitCodes or onPodConditions; set exactly one"))


def _check_exit_codes(value: Body, visit: Visit) -> None:
    operator, name = value.get("operator") or "", value.get("containerName")
    visit.check_choice("operator", operator, ("In", "NotIn"), "operator")
    pod = visit.pod.spec
    names = {one.get("name", "") for kind in ("containers", "initContainers") for one in pod.get(kind) or ()}
    if name is not None and name not in names:
        visit.reject(say('container "{}" does not exist; correct the name', name), "containerName")
    visit.trail.append("values")
    _check_codes(value.get("values") or [], operator, visit)
    visit.trail.pop()


def _check_codes(codes: list[int], operator: str, visit: Visit) -> None:
    if not codes:
        visit.reject(say("the rule has no exit code; add one"))
    elif len(codes) > _MOST_CODES:
        visit.reject(say("there are more than {} exit codes; remove some", _MOST_CODES))
    if codes != sorted(codes):
        visit.reject(say('exit codes "{}" are not in order; sort them', codes))
    seen: set[int] = set()
    for index, code in enumerate(codes):
        if code == 0 and operator == "In":
            visit.reject(say("exit code 0 does not mean a failure; remove it"), index)
        if code in seen:
            visit.reject(say('duplicate exit code "{}"; remove one', code), index)
        seen.add(code)


def _check_conditions(value: list[Body], visit: Visit) -> None:
    visit.check_at_most(len(value), _MOST_PATTERNS, "conditions")
    for index, pattern in enumerate(value):
        visit.check_text("condition", pattern.get("type") or "", qualified_name, index, "type")
        visit.check_choice("status", pattern.get("status") or _STATUSES[0], _STATUSES, index, "status")


def _check_success_policy(completions: int, value: Body, visit: Visit) -> None:
    """The successPolicy of a Job with so many completions; the policy is the current value."""
    rules = value.get("rules") or ()
    if not rules:
        visit.reject(say("successPolicy has no rules; add one or remove it"), "rules")
    visit.check_at_most(len(rules), _MOST_RULES, "rules", "rules")
    visit.trail.append("rules")
    for rule in visit.items(rules):
        count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
        if count is None and indexes is None:
            visit.reject(say("a rule needs succeededCount or succeededIndexes; add one"))
        most = completions if indexes is None else min(completions, _check_indexes(indexes, completions, visit))
        if count is not None:
            visit.check_between("succeededCount", count, 0, most, "succeededCount")
    visit.trail.pop()


def _check_indexes(indexes: str, completions: int, visit: Visit) -> int:
    """How many Pods the text names, 0 if it is invalid."""
    count = _count_indexes(indexes, completions)
    if count is None or len(indexes.encode()) > _LONGEST_INDEXES:
        template = 'succeededIndexes "{}" must be rising, such as 0,2-4, and below {}'
        visit.reject(say(template, indexes, completions), "succeededIndexes")
    return count or 0


def _count_indexes(indexes: str, completions: int) -> int | None:
    """How many Pods the text names, None unless it is a rising list of their indexes."""
    last, total = None, 0
    for interval in indexes.split(",") if indexes else ():
        match = re.fullmatch(_INTERVAL, interval)
        if match is None or interval.startswith("-"):
            return None
        first = int(match[1])
        end = first if match[2] is None else int(match[2])
        if end >= completions or (match[2] is not None and first >= end) or (last is not None and last >= first):
            return None
        total, last = total + end - first + 1, end
    return total


_COUNTS: tuple[str, ...] = ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit")
_COUNTS += ("ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes")
_MODES = ("Indexed", "NonIndexed")
_MANY = 100_000
_FEWER = 10_000
_REPLACEMENTS = ("Failed", "TerminatingOrFailed")


def job(name: str, template: Body, visit: Visit) -> None:
    """The Job `name` of a replicatedJob; its template is the current value."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    pod_template = spec.get("template") or {}
    _metadata(metadata, visit)
    visit.trail.append("spec")
    visit.enter("template", pod_template, _pod_template)
    generated_labels(name, spec, visit)
    visit.check_choice("completionMode", spec.get("completionMode", _MODES[0]), _MODES, "completionMode")
    _counts(spec, visit)
    _restart_policy(spec, pod_template.get("spec") or {}, visit)
    _policies(spec, visit)
    visit.trail.pop()
    job_name(name, spec, visit)


def _metadata(metadata: Body, visit: Visit) -> None:
    if metadata:
        visit.trail.append("metadata")
        for key, check in (("labels", labels), ("annotations", annotation_keys)):
            if metadata.get(key):
                visit.enter(key, metadata[key], check)
        visit.trail.pop()


def _pod_template(template: Body, visit: Visit) -> None:
    metadata = template.get("metadata") or {}
    visit.trail.append("spec")
    pod_spec(template.get("spec") or {}, visit)
    if annotations := metadata.get("annotations"):
        check_profiles(annotations, visit)
    visit.trail.pop()
    _metadata(metadata, visit)
    if annotations:
        visit.trail.append("metadata")
        visit.enter("annotations", annotations, pod_annotations)
        visit.trail.pop()


def _check_counts(spec: Body, visit: Visit) -> None:
    for key in _COUNTS:
        number = spec.get(key)
        if number is not None and number < 0:
            visit.reject(say('{} "{}" must be 0 or more', Message(key), number), key)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        message = say("maxFailedIndexes needs backoffLimitPerIndex; add it")
        visit.reject(message, "backoffLimitPerIndex", shown=("maxFailedIndexes",), on="key")
    if is_indexed(spec):
        _check_indexed(spec, visit)
    else:
        _check_not_indexed(spec, visit)


_counts: Check = under_rule(JOB_COUNT_INVALID, _check_counts)


def _check_indexed(spec: Body, visit: Visit) -> None:
    completions, failed = completions_of(spec), spec.get("maxFailedIndexes")
    parallelism, per_index = spec.get("parallelism") or 0, spec.get("backoffLimitPerIndex")
    if completions is None:
        visit.reject(say("a Job in mode Indexed needs completions; add it"), "completions")
    many = per_index is not None and (completions or 0) > _MANY
    most = _FEWER if many else _MANY
    if parallelism > most:
        visit.reject(say('parallelism "{}" must be no more than {}', parallelism, most), "parallelism")
    if failed is not None:
        most = min(most, _MANY if completions is None else completions)
        if failed > most:
            visit.reject(say('maxFailedIndexes "{}" must be no more than {}', failed, most), "maxFailedIndexes")
    elif many:
        message = say("more than {} completions with backoffLimitPerIndex need maxFailedIndexes; add it", _MANY)
        visit.reject(message, "maxFailedIndexes")


def _check_not_indexed(spec: Body, visit: Visit) -> None:
    numbers = ("backoffLimitPerIndex", "maxFailedIndexes") if spec["completionMode"] in _MODES else ()
    for key in (*numbers, "successPolicy"):
        if spec.get(key) is not None:
            message = say("{} needs completionMode: Indexed; correct one of them", Message(key))
            visit.reject(message, key, on="key" if key == "successPolicy" else "value")


def _restart_policy(spec: Body, pod: Body, visit: Visit) -> None:
    policy = pod.get("restartPolicy") or "OnFailure"
    if policy == "Never" or (policy == "OnFailure" and spec.get("podFailurePolicy") is None):
        return
    if policy == "OnFailure":
        message = say('podFailurePolicy needs Pods that do not restart; set restartPolicy "Never"')
    else:
        message = say('restartPolicy is "{}", but a Job allows only Never and OnFailure; use one of them', policy)
    visit.reject(message, "template", "spec", "restartPolicy", rule=RESTART_POLICY_INVALID)


def _policies(spec: Body, visit: Visit) -> None:
    failure, success = spec.get("podFailurePolicy"), spec.get("successPolicy")
    if failure is not None:
        visit.trail += ("podFailurePolicy", "rules")
        under_rule(POD_FAILURE_POLICY_INVALID, partial(_check_failure_rules, spec))(failure.get("rules") or [], visit)
        del visit.trail[-2:]
    if success is not None and is_indexed(spec):
        check = partial(_check_success_policy, completions_of(spec) or 0)
        visit.enter("successPolicy", success, under_rule(JOB_COUNT_INVALID, check))
    replacement, manager = spec.get("podReplacementPolicy"), spec.get("managedBy")
    if replacement is not None and failure is None:
        visit.check_choice("podReplacementPolicy", replacement, _REPLACEMENTS, "podReplacementPolicy")
    elif replacement not in (None, _REPLACEMENTS[0]):
        message = say("podFailurePolicy needs podReplacementPolicy: Failed; correct it")
        visit.reject(message, "podReplacementPolicy", rule=POD_FAILURE_POLICY_INVALID)
    if manager is not None:
        visit.check_text("managedBy", manager, _manager_name, "managedBy")


def _manager_name(name: str) -> Message:
    return domain_prefixed_path(name) or too_long(name, LABEL_LENGTH)


def job_problems(jobset: Body, cache: PodCache | None = None) -> list[Problem]:
    """Why Jobs of an admitted JobSet will be rejected, with pointers into the JobSet.

    `cache` knows valid parts (see `prime_cache`).
    """
    return _visit_pod(jobset["metadata"].get("name", ""), jobset["spec"], cache or PodCache()).problems


def prime_cache(spec: Body, cache: PodCache) -> None:
    """Cache the valid parts of a runtime's JobSet spec, before the JobSets of its jobs are checked."""
    cache.is_priming = True
    _visit_pod("", spec, cache)
    cache.is_priming = False


def _visit_pod(name: str, spec: Body, cache: PodCache) -> Visit:
    policies = spec.get("volumeClaimPolicies") or ()
    templates = [template for policy in policies for template in policy.get("templates") or ()]
    visit = Visit(cache, frozenset((template.get("metadata") or {}).get("name", "") for template in templates))
    for index, replicated in enumerate(spec.get("replicatedJobs") or ()):
        visit.trail = ["spec", "replicatedJobs", index, "template"]
        job(f"{name}-{replicated['name']}-0", replicated.get("template") or {}, visit)
    return visit
