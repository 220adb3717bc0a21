"""KTJ816: With `postBuild`, Flux replaces ${NAME} in all that it applies; any other text in ${...} is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.kube.facts.gitops import DISABLED, SUBSTITUTE, replaces_variables, variables_of
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.delivery import DeliveredObject, as_written, delivered, kustomizations
from kubectl_trainjob.lint.views import LintContext, LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Pointer, value_at

_VARIABLE = re.compile(r"(?<!\$)(?:\$\$)*(\$\{(\w*)[^\s}]{0,40}\}?)")
_REPLACED = (
    'Flux replaces or rejects "{}" if its Kustomization has postBuild; set the annotation {}: disabled, or write "{}"'
)


def find(job: LintedJob) -> Iterator[Hit]:
    """The first variable of each job."""
    if job.context.settings.delivery == "flux":
        yield from _first(delivered(job), job.context)


def find_in_scripts(context: LintContext) -> Iterator[Hit]:
    """The first variable of each ConfigMap."""
    if context.settings.delivery == "flux":
        for each in context.objects:
            if each.id.kind == "ConfigMap" and each.id.api_version == "v1":
                yield from _first(as_written(each), context)


def _first(target: DeliveredObject, context: LintContext) -> Iterator[Hit]:
    if any(value_at(target.body, ("metadata", each, SUBSTITUTE)) == DISABLED for each in ("annotations", "labels")):
        return
    is_on, wanted = context.once(_substitution)
    for text, name, pointer in _variables(target.body, ()):
        if name not in wanted:
            severity = None if is_on else Severity.INFO
            yield Hit(say(_REPLACED, text, SUBSTITUTE, f"${text}"), target.at(pointer), severity=severity)
            return


def _substitution(context: LintContext) -> tuple[bool, frozenset[str]]:
    """Whether a Kustomization in the files replaces variables, and those that it sets."""
    specs = [each.body.get("spec") for each in kustomizations(context)]
    return any(map(replaces_variables, specs)), frozenset().union(*map(variables_of, specs))


def _variables(value: Any, pointer: Pointer) -> Iterator[tuple[str, str, Pointer]]:
    """Each variable as written, its name, and where it is."""
    if isinstance(value, str):
        yield from ((match[1], match[2], pointer) for match in _VARIABLE.finditer(value))
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _variables(item, (*pointer, key))
