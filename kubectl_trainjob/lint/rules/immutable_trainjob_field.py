"""KTJ801: Most of a TrainJob cannot change once it exists: the API server rejects another `runtimeRef`, `initializer`,
`trainer`, `activeDeadlineSeconds` or `managedBy`, whether the job runs, is suspended or has ended."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.facts.trainer import OVERRIDES
from kubectl_trainjob.lint.check import ChangeCheck
from kubectl_trainjob.lint.refusals import told
from kubectl_trainjob.lint.views import LintedChange
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rules import IMMUTABLE_TRAINJOB_FIELD


def _find(change: LintedChange) -> Iterator[Finding]:
    if role_of(change.identity) is KindRole.TRAINING_JOB:
        yield from told(change, lambda each: OVERRIDES.isdisjoint(each.pointer[:2]))


CHECK = ChangeCheck(IMMUTABLE_TRAINJOB_FIELD, _find)
