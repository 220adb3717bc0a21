"""KTJ816: With `postBuild`, Flux replaces ${NAME} in all that it applies; any other text in ${...} is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.kube.facts.gitops import DISABLED, SUBSTITUTE, replaces_variables, variables_of
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.delivery import DeliveredObject, as_written, delivered, kustomizations
from kubectl_trainjob.lint.views import LintContext, LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import leaves, value_at

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
    for pointer, text in leaves(target.body):
        found = _VARIABLE.finditer(text) if isinstance(text, str) else ()
        written = next((each[1] for each in found if each[2] not in wanted), None)
        if written is not None:
            severity = None if is_on else Severity.INFO
            yield Hit(say(_REPLACED, written, SUBSTITUTE, f"${written}"), target.at(pointer), severity=severity)
            return


def _substitution(context: LintContext) -> tuple[bool, frozenset[str]]:
    """Whether a Kustomization in the files replaces variables, and those that it sets."""
    specs = [each.body.get("spec") for each in kustomizations(context)]
    return any(map(replaces_variables, specs)), frozenset().union(*map(variables_of, specs))
