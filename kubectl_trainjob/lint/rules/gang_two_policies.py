"""KTJ602: A runtime's podGroupPolicy is meant to name one gang scheduler, but nothing rejects two."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.gangs import kinds_of_gang
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.rules import GANG_TWO_POLICIES


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    kinds = kinds_of_gang(runtime.spec)
    if len(kinds) > 1:
        message = f"{' and '.join(kinds)} both make a PodGroup, and a Pod has one scheduler; keep one of them"
        yield Hit(message, runtime.place("spec", "podGroupPolicy").key())


CHECK = RuntimeCheck(GANG_TWO_POLICIES, _find)
