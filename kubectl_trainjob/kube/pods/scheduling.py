"""Where Pods may run: affinity, tolerations, spreading.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateAffinity, ValidateTolerations,
validateTopologySpreadConstraints, validateSchedulingGates).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.validation import dns_1123_label, dns_1123_subdomain, label_value, qualified_name
from kubectl_trainjob.kube.pods.selectors import label_key, label_selector, operands, requirement_fields, selector_keys
from kubectl_trainjob.kube.pods.visit import Check, Visit, at_least, choice, each, every, fields, missing, text
from kubectl_trainjob.kube.schemas.messages import listed, quoted

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NODE_NAME = "metadata.name"
_MORE_OPERATORS = ("Gt", "Lt")


def _node_requirement(value: Mapping[str, Any], visit: Visit) -> None:
    operands(value, visit, single=_MORE_OPERATORS)
    requirement_fields(value, visit)


def _preferred_requirement(value: Mapping[str, Any], visit: Visit) -> None:
    operands(value, visit, single=_MORE_OPERATORS)
    _key_only(value, visit)


def _node_field(value: Mapping[str, Any], visit: Visit) -> None:
    operator, key, values = value.get("operator", ""), value.get("key", ""), value.get("values") or ()
    if operator not in ("In", "NotIn"):
        visit.refuse(f"operator {quoted(operator)} does not suit a field; use In or NotIn", "operator")
    elif len(values) != 1:
        visit.refuse("a field is compared with one value; give exactly one", "values")
    if key != _NODE_NAME:
        visit.refuse(f"nodes have no field {quoted(key)}; use {_NODE_NAME}", "key")
        return
    for index, name in enumerate(values):
        if wrong := dns_1123_subdomain(name):
            visit.refuse(f"node {quoted(name)} {wrong}", "values", index)


_key_only: Check = fields({"key": label_key})
_term: Check = fields({"matchExpressions": each(_node_requirement), "matchFields": each(_node_field)})
_preference: Check = fields({"matchExpressions": each(_preferred_requirement), "matchFields": each(_node_field)})


def _weight(value: Mapping[str, Any], visit: Visit) -> None:
    weight = value.get("weight", 0)
    if not 1 <= weight <= 100:
        visit.refuse(f"weight {quoted(weight)} must be between 1 and 100", "weight")


def _namespaces(value: Mapping[str, Any], visit: Visit) -> None:
    for index, name in enumerate(value.get("namespaces") or ()):
        if wrong := dns_1123_label(name):
            visit.refuse(f"namespace {quoted(name)} {wrong}", "namespaces", index)


def _topology_key(value: Mapping[str, Any], visit: Visit) -> None:
    key = value.get("topologyKey") or ""
    if not key:
        missing("topologyKey", visit)
    elif wrong := qualified_name(key):
        visit.refuse(f"topologyKey {quoted(key)} {wrong}", "topologyKey")


_pod_term: Check = every(
    fields({"labelSelector": label_selector, "namespaceSelector": label_selector}),
    _namespaces,
    selector_keys,
    _topology_key,
)
_pods: Check = fields(
    {
        "requiredDuringSchedulingIgnoredDuringExecution": each(_pod_term),
        "preferredDuringSchedulingIgnoredDuringExecution": each(every(_weight, fields({"podAffinityTerm": _pod_term}))),
    }
)
affinity: Check = fields(
    {
        "nodeAffinity": fields(
            {
                "requiredDuringSchedulingIgnoredDuringExecution": fields(
                    {"nodeSelectorTerms": each(_term)}, ("nodeSelectorTerms",)
                ),
                "preferredDuringSchedulingIgnoredDuringExecution": each(
                    every(_weight, fields({"preference": _preference}))
                ),
            }
        ),
        "podAffinity": _pods,
        "podAntiAffinity": _pods,
    }
)


def _toleration(value: Mapping[str, Any], visit: Visit) -> None:
    key, operator, effect = value.get("key") or "", value.get("operator") or "", value.get("effect") or ""
    if wrong := key and qualified_name(key):
        visit.refuse(f"key {quoted(key)} {wrong}", "key")
    if not key and operator != "Exists":
        visit.refuse("a toleration without a key needs the operator Exists; add one of both", "operator")
    _toleration_value(operator, value.get("value") or "", visit)
    if value.get("tolerationSeconds") is not None and effect != "NoExecute":
        visit.refuse("tolerationSeconds needs the effect NoExecute; correct one of both", "effect")
    if effect and effect not in _EFFECTS:
        visit.refuse(f"effect {quoted(effect)} does not exist; use {listed(_EFFECTS, 'or')}", "effect")


def _toleration_value(operator: str, value: str, visit: Visit) -> None:
    if operator in ("", "Equal"):
        if wrong := label_value(value):
            visit.refuse(f"value {quoted(value)} {wrong}", "operator", shown=("value",))
    elif operator != "Exists":
        visit.refuse(f"operator {quoted(operator)} does not exist; use Exists or Equal", "operator")
    elif value:
        message = f"the operator Exists takes no value; remove {quoted(value)} or use Equal"
        visit.refuse(message, "operator", shown=("value",), on="key")


tolerations: Check = each(_toleration)


_spread_fields: Check = fields(
    {
        "maxSkew": at_least(1),
        "minDomains": at_least(1),
        "nodeAffinityPolicy": choice("Ignore", "Honor", pointer=True),
        "nodeTaintsPolicy": choice("Ignore", "Honor", pointer=True),
        "labelSelector": label_selector,
    },
    ("topologyKey",),
)


def _spread(value: Mapping[str, Any], visit: Visit) -> None:
    _spread_fields(value, visit)
    selector_keys(value, visit)
    action = value.get("whenUnsatisfiable") or ""
    if action not in ("DoNotSchedule", "ScheduleAnyway"):
        message = f"whenUnsatisfiable {quoted(action)} does not exist; use DoNotSchedule or ScheduleAnyway"
        visit.refuse(message, "whenUnsatisfiable")
    if value.get("minDomains") is not None and action != "DoNotSchedule":
        visit.refuse("minDomains needs whenUnsatisfiable: DoNotSchedule; correct one of both", "minDomains", on="key")


def spread(value: list[Mapping[str, Any]], visit: Visit) -> None:
    """topologySpreadConstraints: each one, and whether two say the same."""
    each(_spread)(value, visit)
    kinds = [(one.get("topologyKey"), one.get("whenUnsatisfiable")) for one in value]
    for index, kind in enumerate(kinds):
        if kind in kinds[index + 1 :]:
            message = f"two constraints spread over {quoted(kind[0])} in one way; keep one"
            visit.refuse(message, index, shown=(index, "topologyKey"))


def scheduling_gates(value: list[Mapping[str, Any]], visit: Visit) -> None:
    """What Pods wait for before they are scheduled."""
    names: set[str] = set()
    for index, gate in enumerate(value):
        name = gate.get("name", "")
        if wrong := qualified_name(name):
            visit.refuse(f"scheduling gate {quoted(name)} {wrong}", index, shown=(index, "name"))
        if name in names:
            visit.refuse(f"scheduling gate {quoted(name)} is given twice; keep one", index, shown=(index, "name"))
        names.add(name)


readiness_gates: Check = each(fields({"conditionType": text(qualified_name, pointer=True)}))
