"""Every rule by its id and by its name, and which of them may be ignored."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from kubectl_trainjob.lint.registry import checks
from kubectl_trainjob.model import rules as findings
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity


@cache
def every_rule() -> Mapping[str, Rule]:
    """All rules by id, in the order of their ids."""
    modules = [
        importlib.import_module(f"{findings.__name__}.{each.name}") for each in pkgutil.iter_modules(findings.__path__)
    ]
    defined = {value.id: value for module in modules for value in vars(module).values() if isinstance(value, Rule)}
    found = {**defined, **{rule.id: rule for rule in checks().rules}}
    return {rule_id: found[rule_id] for rule_id in sorted(found, key=lambda each: (len(each), each))}


@cache
def _ids_by_name() -> Mapping[str, str]:
    return {rule.name: rule.id for rule in every_rule().values()}


def rule_named(text: str) -> Rule | None:
    """The rule of an id or a name."""
    return every_rule().get(_ids_by_name().get(text, text))


def is_refusal(rule: Rule) -> bool:
    """Whether a build refuses what the rule finds, so that nothing can hide it; settings do not decide that."""
    return rule.id in _refusals()


@cache
def _refusals() -> frozenset[str]:
    of_lint = {rule.id for rule in checks().rules}
    return frozenset(
        rule.id
        for rule in every_rule().values()
        if rule.severity is Severity.ERROR and rule.rule_class is not RuleClass.LATE and rule.id not in of_lint
    )
