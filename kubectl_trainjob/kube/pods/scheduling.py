"""Where Pods may run: affinity, tolerations, spreading.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateAffinity, ValidateTolerations,
validateTopologySpreadConstraints, validateSchedulingGates).
"""

from __future__ import annotations

from kubectl_trainjob.kube.facts.validation import dns_1123_label, dns_1123_subdomain, label_value, qualified_name
from kubectl_trainjob.kube.pods.selectors import label_key, label_selector, operands, requirement_fields, selector_keys
from kubectl_trainjob.kube.pods.visit import Check, Visit, between, choice, each, every, fields, text
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.stages import Body

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NODE_NAME = "metadata.name"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_HONOR = choice("Ignore", "Honor", pointer=True)


def _node_field(value: Body, visit: Visit) -> None:
    operator, key, values = value.get("operator", ""), value.get("key", ""), value.get("values") or ()
    if operator not in ("In", "NotIn"):
        visit.reject(say('operator "{}" is invalid for a field; use In or NotIn', operator), "operator")
    elif len(values) != 1:
        visit.reject(say('a field needs exactly one value; correct "values"'), "values")
    if key != _NODE_NAME:
        visit.reject(say('nodes have no field "{}"; use {}', key, Message(_NODE_NAME)), "key")
        return
    for index, name in enumerate(values):
        visit.check_text("node", name, dns_1123_subdomain, "values", index)


_node_operands = operands("Gt", "Lt")
_preferred_node: Check = every(_node_operands, fields({"key": label_key}))
_term: Check = fields(
    {"matchExpressions": each(every(_node_operands, requirement_fields)), "matchFields": each(_node_field)}
)
_preference: Check = fields({"matchExpressions": each(_preferred_node), "matchFields": each(_node_field)})


def _weight(value: Body, visit: Visit) -> None:
    visit.check_between("weight", value.get("weight", 0), 1, 100, "weight")


def _pod_names(value: Body, visit: Visit) -> None:
    for index, name in enumerate(value.get("namespaces") or ()):
        visit.check_text("namespace", name, dns_1123_label, "namespaces", index)
    selector_keys(value, visit)
    if key := value.get("topologyKey"):
        visit.check_text("topologyKey", key, qualified_name, "topologyKey")
    else:
        visit.reject_missing("topologyKey")


_pod_term: Check = every(fields({"labelSelector": label_selector, "namespaceSelector": label_selector}), _pod_names)
_pods: Check = fields(
    {_REQUIRED: each(_pod_term), _PREFERRED: each(every(_weight, fields({"podAffinityTerm": _pod_term})))}
)
_nodes: Check = fields(
    {
        _REQUIRED: fields({"nodeSelectorTerms": each(_term)}, ("nodeSelectorTerms",)),
        _PREFERRED: each(every(_weight, fields({"preference": _preference}))),
    }
)
affinity: Check = fields({"nodeAffinity": _nodes, "podAffinity": _pods, "podAntiAffinity": _pods})


def _toleration(value: Body, visit: Visit) -> None:
    key, operator, effect = value.get("key") or "", value.get("operator") or "", value.get("effect") or ""
    if key:
        visit.check_text("key", key, qualified_name, "key")
    elif operator != "Exists":
        visit.reject(say("a toleration without a key needs the operator Exists; add either one"), "operator")
    _toleration_value(operator, value.get("value") or "", visit)
    if value.get("tolerationSeconds") is not None and effect != "NoExecute":
        visit.reject(say("tolerationSeconds needs the effect NoExecute; correct one of them"), "effect")
    if effect:
        visit.check_choice("effect", effect, _EFFECTS, "effect")


def _toleration_value(operator: str, value: str, visit: Visit) -> None:
    if operator in ("", "Equal"):
        visit.check_text("value", value, label_value, "operator", shown=("value",))
    elif visit.check_choice("operator", operator, ("Exists", "Equal"), "operator") and value:
        message = say('the operator Exists takes no value; remove "{}" or use Equal', value)
        visit.reject(message, "operator", shown=("value",), on="key")


tolerations: Check = each(_toleration)
_spread_fields: Check = fields(
    {
        "maxSkew": between(1, None),
        "minDomains": between(1, None),
        "nodeAffinityPolicy": _HONOR,
        "nodeTaintsPolicy": _HONOR,
        "labelSelector": label_selector,
    },
    ("topologyKey",),
)


def _spread(value: Body, visit: Visit) -> None:
    _spread_fields(value, visit)
    selector_keys(value, visit)
    action = value.get("whenUnsatisfiable") or ""
    visit.check_choice("whenUnsatisfiable", action, ("DoNotSchedule", "ScheduleAnyway"), "whenUnsatisfiable")
    if value.get("minDomains") is not None and action != "DoNotSchedule":
        message = say("minDomains needs whenUnsatisfiable: DoNotSchedule; correct one of them")
        visit.reject(message, "minDomains", on="key")


def spread(value: list[Body], visit: Visit) -> None:
    """topologySpreadConstraints: each one, and duplicates."""
    each(_spread)(value, visit)
    kinds = [(one.get("topologyKey"), one.get("whenUnsatisfiable")) for one in value]
    last = {kind: index for index, kind in enumerate(kinds)}
    for index, kind in enumerate(kinds):
        if last[kind] > index:
            message = say('two constraints spread over "{}" in the same way; remove one', kind[0])
            visit.reject(message, index, shown=(index, "topologyKey"))


def scheduling_gates(value: list[Body], visit: Visit) -> None:
    """Conditions that Pods wait for before they are scheduled."""
    names: set[str] = set()
    for index, gate in enumerate(value):
        name, shown = gate.get("name", ""), (index, "name")
        visit.check_text("scheduling gate", name, qualified_name, index, shown=shown)
        visit.check_unique("scheduling gate", name, names, index, shown=shown)


readiness_gates: Check = each(fields({"conditionType": text(qualified_name, pointer=True)}))
