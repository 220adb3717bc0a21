"""KTJ802: A TrainJob's `runtimePatches` (`podTemplateOverrides` in 2.1, `podSpecOverrides` in 2.0) change only while
the job is suspended, and some of their fields never do: the service account, volumes, containers and the security
context."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.facts.trainer import OVERRIDES
from kubectl_trainjob.lint.check import ChangeCheck
from kubectl_trainjob.lint.refusals import told
from kubectl_trainjob.lint.views import LintedChange
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rules import IMMUTABLE_RUNTIME_PATCH


def _find(change: LintedChange) -> Iterator[Finding]:
    if role_of(change.identity) is KindRole.TRAINING_JOB:
        yield from told(change, lambda each: not OVERRIDES.isdisjoint(each.pointer[:2]))


CHECK = ChangeCheck(IMMUTABLE_RUNTIME_PATCH, _find)
