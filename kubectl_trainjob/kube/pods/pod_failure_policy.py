"""What a Job makes of Pods that fail.

Mirrors k8s.io/kubernetes/pkg/apis/batch/validation (validatePodFailurePolicy).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import qualified_name
from kubectl_trainjob.kube.pods.visit import Visit
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.rules import POD_FAILURE_POLICY_INVALID

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_STATUSES = ("True", "False", "Unknown")
_MOST_RULES = 20
_MOST_PATTERNS = 20
_MOST_VALUES = 255


def pod_failure_policy(spec: Mapping[str, Any], visit: Visit) -> None:
    """The policy of a Job; `visit` stands at the Job's spec."""
    rules = spec["podFailurePolicy"].get("rules") or ()
    before, visit.rule = visit.rule, POD_FAILURE_POLICY_INVALID
    visit.trail += ("podFailurePolicy", "rules")
    if len(rules) > _MOST_RULES:
        visit.refuse(f"there are more than {_MOST_RULES} rules; remove some", on="key")
    for index, rule in enumerate(rules):
        visit.trail.append(index)
        _rule(rule, spec, visit)
        visit.trail.pop()
    del visit.trail[-2:]
    visit.rule = before


def _rule(rule: Mapping[str, Any], spec: Mapping[str, Any], visit: Visit) -> None:
    action, codes, conditions = rule.get("action") or "", rule.get("onExitCodes"), rule.get("onPodConditions") or ()
    if action not in _ACTIONS:
        visit.refuse(f"action {quoted(action)} does not exist; use {listed(_ACTIONS, 'or')}", "action")
    elif action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        visit.refuse("action FailIndex needs the Job's backoffLimitPerIndex; add it or use FailJob", "action")
    if codes is not None:
        visit.enter("onExitCodes", codes, _exit_codes)
    if conditions:
        visit.enter("onPodConditions", conditions, _conditions)
    if (codes is None) == (not conditions):
        visit.refuse("a rule needs onExitCodes or onPodConditions, and only one of both; state one")


def _exit_codes(value: Mapping[str, Any], visit: Visit) -> None:
    operator, name = value.get("operator") or "", value.get("containerName")
    if operator not in ("In", "NotIn"):
        visit.refuse(f"operator {quoted(operator)} does not exist; use In or NotIn", "operator")
    if name is not None and name not in _container_names(visit):
        visit.refuse(f"there is no container {quoted(name)}; correct the name", "containerName")
    visit.trail.append("values")
    _codes(value.get("values") or [], operator, visit)
    visit.trail.pop()


def _container_names(visit: Visit) -> set[str]:
    spec = visit.pod.spec
    return {one.get("name", "") for kind in ("containers", "initContainers") for one in spec.get(kind) or ()}


def _codes(codes: list[int], operator: str, visit: Visit) -> None:
    if not codes:
        visit.refuse("the rule compares with no exit code; add one")
    elif len(codes) > _MOST_VALUES:
        visit.refuse(f"there are more than {_MOST_VALUES} exit codes; remove some")
    if codes != sorted(codes):
        visit.refuse(f"exit codes {quoted(codes)} are not in order; sort them")
    for index, code in enumerate(codes):
        if code == 0 and operator == "In":
            visit.refuse("exit code 0 is no failure; remove it", index)
        if code in codes[:index]:
            visit.refuse(f"exit code {quoted(code)} is given twice; keep one", index)


def _conditions(value: list[Mapping[str, Any]], visit: Visit) -> None:
    if len(value) > _MOST_PATTERNS:
        visit.refuse(f"there are more than {_MOST_PATTERNS} conditions; remove some", on="key")
    for index, pattern in enumerate(value):
        kind, status = pattern.get("type") or "", pattern.get("status") or _STATUSES[0]
        if wrong := qualified_name(kind):
            visit.refuse(f"condition {quoted(kind)} {wrong}", index, "type")
        if status not in _STATUSES:
            visit.refuse(f"status {quoted(status)} does not exist; use {listed(_STATUSES, 'or')}", index, "status")
