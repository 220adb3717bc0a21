"""Label selectors and label keys.

Mirrors k8s.io/apimachinery/pkg/apis/meta/v1/validation and, for matchLabelKeys and mismatchLabelKeys,
k8s.io/kubernetes/pkg/apis/core/validation (ValidateMatchLabelKeysAndMismatchLabelKeys).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from kubectl_trainjob.kube.facts.validation import label_value, qualified_name
from kubectl_trainjob.kube.pods.visit import Check, Visit, each, every, fields, text, under_rule
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import POD_LABEL_INVALID
from kubectl_trainjob.model.stages import Body

_WITH_VALUES = ("In", "NotIn")
_WITHOUT_VALUES = ("Exists", "DoesNotExist")

label_key: Check = text(qualified_name, pointer=True)


def labels(value: Mapping[str, str], visit: Visit) -> None:
    """Labels: upstream names the whole mapping, reports show the entry."""
    for key, item in value.items():
        if error := _label_error(key, item):
            visit.reject(say("{}: {}", Message(visit.field()), error), rule=POD_LABEL_INVALID, shown=(key,))


@lru_cache(4096)
def _label_error(key: str, value: str) -> Message:
    if error := qualified_name(key):
        return say('"{}" {}', key, error)
    error = label_value(value)
    return say('"{}" of "{}" {}', value, key, error) if error else error


def operands(*single: str) -> Check:
    """Whether the number of values suits the operator; `single` are operators that compare with one number."""
    operators = (*_WITH_VALUES, *_WITHOUT_VALUES, *single)

    def check(value: Body, visit: Visit) -> None:
        operator, values = value.get("operator", ""), value.get("values") or ()
        if not visit.check_choice("operator", operator, operators, "operator"):
            return
        if operator in _WITH_VALUES and not values:
            visit.reject(say('operator "{}" needs values; add "values"', operator), "values")
        if operator in _WITHOUT_VALUES and values:
            visit.reject(say('operator "{}" takes no values; remove them', operator), "values", on="key")
        if operator in single and len(values) != 1:
            visit.reject(say('operator "{}" needs exactly one value; correct "values"', operator), "values")

    return check


requirement_fields: Check = fields({"key": label_key, "values": each(text(label_value))})
_requirement: Check = every(operands(), requirement_fields)
label_selector: Check = under_rule(
    POD_LABEL_INVALID, fields({"matchLabels": labels, "matchExpressions": each(_requirement)})
)
_label_keys: Check = under_rule(POD_LABEL_INVALID, each(label_key))


def selector_keys(value: Body, visit: Visit) -> None:
    """matchLabelKeys and mismatchLabelKeys, which add to a selector."""
    selector = value.get("labelSelector")
    for name in ("matchLabelKeys", "mismatchLabelKeys"):
        keys = value.get(name) or ()
        if keys and selector is None:
            message = say("{} needs a labelSelector; add one, or {}", Message(name), Message("labelSelector: {}"))
            visit.reject(message, name, on="key", rule=POD_LABEL_INVALID)
        elif keys:
            visit.enter(name, keys, _label_keys)
    keys = value.get("matchLabelKeys") or ()
    if selector is not None:
        _check_selected_keys(keys, selector, visit)
    for index, key in enumerate(keys):
        if key in (value.get("mismatchLabelKeys") or ()):
            _reject_duplicate(key, index, "mismatchLabelKeys", visit)


def _check_selected_keys(keys: Sequence[str], selector: Body, visit: Visit) -> None:
    places = {key: index for index, key in enumerate(keys)}
    seen = set(selector.get("matchLabels") or ())
    for expression in selector.get("matchExpressions") or ():
        key = expression.get("key", "")
        if key in places and key in seen:
            _reject_duplicate(key, places[key], "labelSelector", visit)
        seen.add(key)


def _reject_duplicate(key: str, index: int, other: str, visit: Visit) -> None:
    message = say('label key "{}" is in matchLabelKeys and in {}; remove one of them', key, Message(other))
    visit.reject(message, "matchLabelKeys", index, rule=POD_LABEL_INVALID)
