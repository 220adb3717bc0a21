"""KTJ602: A runtime's podGroupPolicy is meant to name one gang scheduler, but nothing rejects two."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.message import listed, say


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Runtimes with several gang schedulers."""
    schedulers = runtime.gang_schedulers()
    if len(schedulers) > 1:
        message = say(
            "{} both create a PodGroup, but a Pod has only one scheduler; keep one of them", listed(schedulers)
        )
        yield Hit(message, runtime.place("spec", "podGroupPolicy").key())
