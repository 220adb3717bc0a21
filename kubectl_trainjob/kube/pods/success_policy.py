"""When a Job has succeeded. Mirrors k8s.io/kubernetes/pkg/apis/batch/validation (validateSuccessPolicy)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.pods.visit import Visit
from kubectl_trainjob.kube.schemas.messages import quoted

_MOST_RULES = 20
_LONGEST_INDEXES = 64 * 1024
_INTERVAL = re.compile(r"([+-]?[0-9]+)(?:-([+-]?[0-9]+))?")


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
