"""Label selectors and label keys.

Mirrors k8s.io/apimachinery/pkg/apis/meta/v1/validation and, for matchLabelKeys and mismatchLabelKeys,
k8s.io/kubernetes/pkg/apis/core/validation (ValidateMatchLabelKeysAndMismatchLabelKeys).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kubectl_trainjob.kube.facts.validation import label_value, qualified_name
from kubectl_trainjob.kube.pods.visit import Check, Visit, counted_as, each, fields, text
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.rules import POD_LABEL_INVALID

_WITH_VALUES = ("In", "NotIn")
_WITHOUT_VALUES = ("Exists", "DoesNotExist")

label_key: Check = text(qualified_name, pointer=True)


def labels(value: Mapping[str, str], visit: Visit) -> None:
    """Labels: upstream names the whole mapping, people are shown the entry."""
    for key, item in value.items():
        if wrong := _label_fault(key, item):
            visit.refuse(f"{visit.field()}: {wrong}", rule=POD_LABEL_INVALID, shown=(key,))


@lru_cache(4096)
def _label_fault(key: str, value: str) -> str:
    if wrong := qualified_name(key):
        return f"{quoted(key)} {wrong}"
    wrong = label_value(value)
    return wrong and f"{quoted(value)} of {quoted(key)} {wrong}"


def operands(value: Mapping[str, Any], visit: Visit, *, single: tuple[str, ...] = ()) -> None:
    """Whether the number of values suits the operator; `single` are operators that compare with one number."""
    operator, values = value.get("operator", ""), value.get("values") or ()
    if operator in _WITH_VALUES:
        if not values:
            visit.refuse(f'operator {quoted(operator)} compares with values; add "values"', "values")
    elif operator in _WITHOUT_VALUES:
        if values:
            visit.refuse(f"operator {quoted(operator)} takes no values; remove them", "values", on="key")
    elif operator in single:
        if len(values) != 1:
            visit.refuse(f"operator {quoted(operator)} compares with one value; give exactly one", "values")
    else:
        known = listed((*_WITH_VALUES, *_WITHOUT_VALUES, *single), "or")
        visit.refuse(f"operator {quoted(operator)} does not exist; use {known}", "operator")


requirement_fields: Check = fields({"key": label_key, "values": each(text(label_value))})


def _requirement(value: Mapping[str, Any], visit: Visit) -> None:
    operands(value, visit)
    requirement_fields(value, visit)


label_selector: Check = counted_as(
    POD_LABEL_INVALID, fields({"matchLabels": labels, "matchExpressions": each(_requirement)})
)


def selector_keys(value: Mapping[str, Any], visit: Visit) -> None:
    """matchLabelKeys and mismatchLabelKeys beside the selector that they add to."""
    selector = value.get("labelSelector")
    for name in ("matchLabelKeys", "mismatchLabelKeys"):
        keys = value.get(name) or ()
        if keys and selector is None:
            message = f"{name} adds to a labelSelector; state one, {{}} at least"
            visit.refuse(message, name, on="key", rule=POD_LABEL_INVALID)
        elif keys:
            visit.enter(name, keys, counted_as(POD_LABEL_INVALID, each(label_key)))
    if selector is not None:
        _selected_twice(value, selector, visit)
    for index, key in enumerate(value.get("matchLabelKeys") or ()):
        if key in (value.get("mismatchLabelKeys") or ()):
            message = f"label key {quoted(key)} stands in matchLabelKeys and in mismatchLabelKeys; keep one"
            visit.refuse(message, "matchLabelKeys", index, rule=POD_LABEL_INVALID)


def _selected_twice(value: Mapping[str, Any], selector: Mapping[str, Any], visit: Visit) -> None:
    places = {key: index for index, key in enumerate(value.get("matchLabelKeys") or ())}
    seen = set(selector.get("matchLabels") or ())
    for expression in selector.get("matchExpressions") or ():
        key = expression.get("key", "")
        if key in places and key in seen:
            message = f"label key {quoted(key)} stands in matchLabelKeys and in labelSelector; keep one"
            visit.refuse(message, "matchLabelKeys", places[key], rule=POD_LABEL_INVALID)
        seen.add(key)
