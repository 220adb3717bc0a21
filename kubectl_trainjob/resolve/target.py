"""Which Trainer a build is for."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_trainjob.api.supported import LATEST_TRAINER
from kubectl_trainjob.findings.diagnostic import Diagnostic, Related
from kubectl_trainjob.findings.settings import CONFLICTING_TARGETS
from kubectl_trainjob.stages import Target


def targeted(targets: Sequence[Target], stated: str) -> tuple[str, list[Diagnostic]]:
    """The version stated on the command line, else the repositories' target, else the latest; and disagreements."""
    if stated or not targets:
        return stated or LATEST_TRAINER, []
    first = targets[0]
    other = next((target for target in targets if target.trainer != first.trainer), None)
    if other is None:
        return first.trainer, []
    message = f'target "{other.trainer}" here and "{first.trainer}" in another repository of this build; state one'
    related = (Related("the other target", first.place),)
    return first.trainer, [Diagnostic(CONFLICTING_TARGETS, message, other.place, related)]
