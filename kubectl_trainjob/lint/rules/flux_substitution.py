"""KTJ816: With `postBuild`, Flux replaces ${NAME} in all that it applies; an undefined variable is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.delivery import FLUX, Delivered, as_written, delivered, kustomizations
from kubectl_trainjob.lint.views import LintContext, LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Pointer

_VARIABLE = re.compile(r"(?<!\$)(?:\$\$)*\$\{([A-Za-z_]\w*)")
_DISABLED = f"{FLUX}/substitute"
_REPLACED = 'Flux replaces "{}" if its Kustomization has postBuild; set the annotation {}: disabled, or write "{}"'


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


def _first(target: Delivered, context: LintContext) -> Iterator[Hit]:
    if target.annotations.get(_DISABLED) != "disabled":
        found = next(_variables(target.body, ()), None)
        if found is not None:
            name, pointer = found
            is_on = any("postBuild" in (each.body.get("spec") or {}) for each in kustomizations(context))
            severity = None if is_on else Severity.INFO
            yield Hit(say(_REPLACED, f"${{{name}}}", _DISABLED, f"$${{{name}}}"), target.at(pointer), severity=severity)


def _variables(value: Any, pointer: Pointer) -> Iterator[tuple[str, Pointer]]:
    if isinstance(value, str):
        match = _VARIABLE.search(value)
        if match is not None:
            yield match.group(1), pointer
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _variables(item, (*pointer, key))
