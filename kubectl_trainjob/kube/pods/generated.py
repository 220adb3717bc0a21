"""What the API server derives for a Job: its Pods' labels and names, and the selector that finds them.

Mirrors k8s.io/kubernetes/pkg/registry/batch/job (generateSelector) and pkg/apis/batch/validation
(validateGeneratedSelector, ValidateJob).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import dns_1123_label, dns_1123_subdomain, label_value
from kubectl_trainjob.kube.pods.selectors import label_selector
from kubectl_trainjob.kube.pods.visit import Visit
from kubectl_trainjob.kube.schemas.messages import quoted
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import JOB_NAME_INVALID, POD_LABEL_INVALID
from kubectl_trainjob.model.source import Pointer

_NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_ID_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
_ID = "batch.kubernetes.io/controller-uid"
_UID = "00000000-0000-0000-0000-000000000000"
_LABELS: Pointer = ("template", "metadata", "labels")


def generated_labels(name: str, spec: Mapping[str, Any], visit: Visit) -> None:
    """The labels that the API server adds to a Job's Pods; `visit` stands at the Job's spec."""
    stated = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    selector = spec.get("selector")
    if spec.get("manualSelector"):
        _manual(selector, stated, visit)
        return
    if wrong := label_value(name):
        _refuse_name(f"label job-name {quoted(name)} {wrong}; shorten the TrainJob's name", visit, *_LABELS)
    if stated:
        _own_labels(name, stated, visit)
    if selector is not None:
        _generated(name, selector, stated, visit)


def _own_labels(name: str, stated: Mapping[str, str], visit: Visit) -> None:
    """What the API server would set may be stated only with the value that it would have."""
    for key in (*_NAME_LABELS, *_ID_LABELS):
        if key in stated and (key in _ID_LABELS or stated[key] != name):
            message = f"label {quoted(key)} is the API server's own; remove it"
            visit.refuse(message, *_LABELS, key, rule=POD_LABEL_INVALID)
            if key == _ID:  # The generated selector asks for it, and finds no Pods.
                visit.refuse(message, *_LABELS, rule=POD_LABEL_INVALID, shown=(*_LABELS, key))


def _generated(name: str, selector: Mapping[str, Any], stated: Mapping[str, str], visit: Visit) -> None:
    """A selector beside the generated one has to find the Pods, by the generated labels alone."""
    made = dict.fromkeys(_NAME_LABELS, name) | dict.fromkeys(_ID_LABELS, _UID)
    found = len(visit.refused)
    visit.enter("selector", selector, label_selector)
    if len(visit.refused) > found:
        return
    if not _selects(selector, made):
        visit.refuse("the selector is generated; remove it", "selector", on="key", rule=POD_LABEL_INVALID)
    if not _selects(selector, made | dict(stated)) and _ID not in stated:
        visit.refuse("the selector does not find the Job's Pods; remove it", *_LABELS, rule=POD_LABEL_INVALID)


def _manual(selector: Mapping[str, Any] | None, stated: Mapping[str, str], visit: Visit) -> None:
    if selector is None:
        message = "manualSelector needs a selector; remove it and let the API server make one"
        visit.refuse(message, "selector", shown=("manualSelector",), on="key", rule=POD_LABEL_INVALID)
        visit.refuse(message, *_LABELS, shown=("manualSelector",), on="key", rule=POD_LABEL_INVALID)
        return
    found = len(visit.refused)
    visit.enter("selector", selector, label_selector)
    if len(visit.refused) == found and not _selects(selector, stated):
        visit.refuse("the selector does not find the Job's Pods; correct the labels", *_LABELS, rule=POD_LABEL_INVALID)


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    return all(_meets(one, labels) for one in selector.get("matchExpressions") or ())


def _meets(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    operator, key, values = expression.get("operator"), expression.get("key", ""), expression.get("values") or ()
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return key not in labels or labels[key] not in values
    return (key in labels) == (operator == "Exists")


def is_indexed(spec: Mapping[str, Any]) -> bool:
    """Whether the Job's Pods have numbers, as they have when a JobSet does not say."""
    return bool(spec.get("completionMode", "Indexed") == "Indexed")


def completions_of(spec: Mapping[str, Any]) -> int | None:
    """How many Pods a Job has, None where nothing says so; one where it states no number at all."""
    stated = spec.get("completions")
    if stated is not None:
        return int(stated)
    return 1 if spec.get("parallelism") is None else None


def job_name(name: str, spec: Mapping[str, Any], visit: Visit) -> None:
    """The Job's name, and the longest of its Pods' host names."""
    completions = completions_of(spec) or 0
    if wrong := dns_1123_subdomain(name):
        _refuse_name(f"the Job's name {quoted(name)} {wrong}; change the TrainJob's name", visit)
    elif is_indexed(spec) and completions > 0:
        host = f"{name}-{completions - 1}"
        if wrong := dns_1123_label(host):
            _refuse_name(f"a Pod's name {quoted(host)} {wrong}; change the TrainJob's name", visit)


def _refuse_name(message: str, visit: Visit, *field: str | int) -> None:
    """All Jobs are called after the JobSet, whatever field upstream names."""
    name: Pointer = ("metadata", "name")
    pointer = visit.pointer(*field) if field else name
    visit.refused.append(Problem(JOB_NAME_INVALID, pointer, message, shown=name))
