"""The CEL rules of the packaged CRDs as functions.

Mirrors the `x-kubernetes-validations` of the Trainer and JobSet CRDs; the key is the rule's exact text. A rule that
cannot be evaluated (a key it reads is absent) does not hold, as in
k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kubectl_trainjob.kube.facts.validation import placeholder
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Pointer

TRANSITIONS = frozenset({"self == oldSelf"})
"""Rules that use `oldSelf`: they apply to updates only (see `kube.updates`). The only one makes a value immutable."""

ML_POLICIES = ("torch", "mpi", "jax", "xgboost", "flux")
PROCESSES = ("auto", "cpu", "gpu")
MANAGERS = ("trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue")

_NAME = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_NAME_FORM = "must be lower case letters, digits and '-', start with a letter, and not end with '-'"
_URI_FORM = 'has no scheme; write a URI such as "hf://owner/name" or "s3://bucket/key"'
_STORAGE_URI = r"[A-Za-z][A-Za-z0-9+.-]*://.+"


@dataclass(frozen=True, slots=True)
class CelRule:
    """One rule: `holds(self)`; if it does not hold, the problem's rule, message and place below `self`."""

    holds: Callable[[Any], bool]
    rule: Rule
    message: Callable[[Any], Message]
    place: Callable[[Any], Pointer] = lambda _: ()
    on: Literal["key", "value"] = "value"


def check_rules(cel_rules: tuple[CelRule, ...], value: Any) -> Iterator[Problem]:
    """The problems of the rules that do not hold; pointers begin at `value`. A missing key breaks the rule, too."""
    for rule in cel_rules:
        try:
            if rule.holds(value):
                continue
            yield Problem(rule.rule, rule.place(value), rule.message(value), rule.on)
        except KeyError as absent:
            yield Problem(rules.MISSING_FIELD, rule.place(value), say("{} is missing; add it", absent.args[0]), "key")


def _in_order_without_dependencies(spec: Mapping[str, Any]) -> bool:
    policy = spec.get("startupPolicy")
    if policy is None or policy.get("startupPolicyOrder", "InOrder") != "InOrder":
        return True
    # In CEL a false absorbs an error, before or after `&&`: without dependencies the order may be absent.
    return not any("dependsOn" in job for job in spec["replicatedJobs"])


def _first_dependency(spec: Mapping[str, Any]) -> Pointer:
    for index, job in enumerate(spec.get("replicatedJobs", ())):
        if "dependsOn" in job:
            return ("replicatedJobs", index, "dependsOn")
    return ("startupPolicy",)


def _claims_without_namespace(policy: Mapping[str, Any]) -> bool:
    return not any(template["metadata"].get("namespace") for template in policy["templates"])


def _first_namespace(policy: Mapping[str, Any]) -> Pointer:
    for index, template in enumerate(policy.get("templates", ())):
        if "metadata" not in template:
            return ("templates", index)
        if template["metadata"].get("namespace"):
            return ("templates", index, "metadata", "namespace")
    return ()


def _policies(policy: Mapping[str, Any]) -> list[str]:
    return [name for name in ML_POLICIES if name in policy]


def _processes(value: Any) -> bool:
    # In CEL a true absorbs the error of comparing a string with a number, before or after `||`.
    return value in PROCESSES if isinstance(value, str) else bool(value > 0)


def _double(text: str) -> float:
    """As `double` of CEL; NaN, which breaks each comparison, where CEL has an error."""
    try:
        return float(text) if re.fullmatch(r"[^\s_]+", text) else math.nan
    except ValueError:
        return math.nan


def _exactly_one(*names: str) -> CelRule:
    return CelRule(
        lambda self: sum(name in self for name in names) == 1,
        rules.INVALID_TYPE_OR_ENUM,
        lambda _: say("set exactly one of {}", listed(names, template="{}")),
    )


_ONE_POLICY = CelRule(
    lambda self: len(_policies(self)) <= 1,
    rules.MULTIPLE_ML_POLICIES,
    lambda self: say("only one ML policy is allowed, but {} are set; keep one", listed(_policies(self), template="{}")),
    lambda self: (_policies(self)[1],),
    "key",
)

RULES: Mapping[str, CelRule] = {
    "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')": CelRule(
        lambda self: re.fullmatch(_NAME, self["metadata"]["name"]) is not None,
        rules.NAME_INVALID,
        lambda self: say('name "{}" {}', (name := self["metadata"]["name"]), placeholder(name) or say(_NAME_FORM)),
        lambda _: ("metadata", "name"),
    ),
    "size(self.metadata.name) <= 63": CelRule(
        lambda self: len(self["metadata"]["name"]) <= 63,
        rules.NAME_INVALID,
        lambda self: say(
            'name "{}" has {} characters; use at most 63', self["metadata"]["name"], len(self["metadata"]["name"])
        ),
        lambda _: ("metadata", "name"),
    ),
    "self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')": CelRule(
        lambda self: self == "" or re.fullmatch(_STORAGE_URI, self) is not None,
        rules.INVALID_STORAGE_URI,
        lambda self: say('storageUri "{}" {}', self, placeholder(self) or say(_URI_FORM)),
    ),
    "self in ['trainer.kubeflow.org/trainjob-controller', 'kueue.x-k8s.io/multikueue']": CelRule(
        lambda self: self in MANAGERS,
        rules.INVALID_MANAGED_BY,
        lambda self: say('managedBy "{}" is not allowed; use {}', self, listed(MANAGERS, "or")),
    ),
    "has(self.lastUpdatedTime)": CelRule(
        lambda self: "lastUpdatedTime" in self,
        rules.MISSING_FIELD,
        lambda _: say("trainerStatus has no lastUpdatedTime; add it"),
    ),
    "[has(self.torch), has(self.mpi), has(self.jax), has(self.xgboost),has(self.flux)]"
    ".filter(x, x).size() <= 1": _ONE_POLICY,
    "!(has(self.torch) && has(self.mpi))": _ONE_POLICY,
    "!(has(self.numNodes) && (has(self.torch) && has(self.torch.elasticPolicy)))": CelRule(
        lambda self: not ("numNodes" in self and "elasticPolicy" in self.get("torch", {})),
        rules.ELASTIC_NUM_NODES,
        lambda _: say("numNodes cannot be combined with torch.elasticPolicy; remove one of them"),
        lambda _: ("numNodes",),
        "key",
    ),
    "self > 0 || self in ['auto', 'cpu', 'gpu']": CelRule(
        _processes,
        rules.INVALID_TYPE_OR_ENUM,
        lambda self: say('numProcPerNode must be auto, cpu, gpu or an integer above 0, not "{}"', self),
    ),
    "self >= 1": CelRule(
        lambda self: self >= 1,
        rules.INVALID_TYPE_OR_ENUM,
        lambda self: say("numProcPerNode must be at least 1, not {}", self),
    ),
    "double(self.min) > 0.0": CelRule(
        lambda self: _double(self["min"]) > 0,
        rules.INVALID_TYPE_OR_ENUM,
        lambda self: say('min must be a number above 0, not "{}"', self["min"]),
        lambda _: ("min",),
    ),
    "double(self.min) < double(self.max)": CelRule(
        lambda self: _double(self["min"]) < _double(self["max"]),
        rules.INVALID_TYPE_OR_ENUM,
        lambda self: say('min and max must be numbers, and min "{}" less than max "{}"', self["min"], self["max"]),
        lambda _: ("min",),
    ),
    "[has(self.uniform),has(self.logUniform),has(self.categorical)].filter(x,x==true).size() == 1": _exactly_one(
        "uniform", "logUniform", "categorical"
    ),
    "[has(self.random),has(self.grid)].filter(x,x==true).size() == 1": _exactly_one("random", "grid"),
    "self.parallelTrials <= self.numTrials": CelRule(
        lambda self: bool(self["parallelTrials"] <= self["numTrials"]),
        rules.INVALID_TYPE_OR_ENUM,
        lambda self: say("parallelTrials {} must be at most numTrials {}", self["parallelTrials"], self["numTrials"]),
        lambda _: ("parallelTrials",),
    ),
    "!has(self.searchAlgorithm.grid) || self.parameters.all(p, has(p.searchSpace.categorical))": CelRule(
        lambda self: (
            "grid" not in self["searchAlgorithm"]
            or all("categorical" in each["searchSpace"] for each in self["parameters"])
        ),
        rules.INVALID_TYPE_OR_ENUM,
        lambda _: say("grid needs categorical search spaces; change the parameters, or write random"),
        lambda _: ("searchAlgorithm", "grid"),
        "key",
    ),
    "!has(self.name) && !has(self.namespace)": CelRule(
        lambda self: "name" not in self and "namespace" not in self,
        rules.INVALID_TYPE_OR_ENUM,
        lambda _: say("a template has no name and no namespace; remove them"),
        lambda self: ("name" if "name" in self else "namespace",),
        "key",
    ),
    "!self.exists(c, c == 'node')": CelRule(
        lambda self: "node" not in self,
        rules.ENV_INJECTION_TARGET,
        lambda _: say('container "node" always gets the PET_* variables; remove it from containerNames'),
        lambda self: (self.index("node"),),
    ),
    "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' "
    "&& self.replicatedJobs.exists(x, has(x.dependsOn)))": CelRule(
        _in_order_without_dependencies,
        rules.DEPENDS_ON_INVALID,
        lambda _: say("dependsOn cannot be combined with startupPolicyOrder InOrder; remove one of them"),
        _first_dependency,
        "key",
    ),
    "self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)": CelRule(
        _claims_without_namespace,
        rules.VOLUME_CLAIM_INVALID,
        lambda _: say("a claim is created in the namespace of its JobSet; remove namespace"),
        _first_namespace,
        "key",
    ),
}
