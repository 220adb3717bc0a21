"""KTJ803: Where JobSets are applied themselves, a change of a TrainJob or its runtime is an update of a live JobSet,
of which very little may change: while it is suspended, labels, annotations, node selectors, tolerations and
scheduling gates of its Pods; else nothing but its TTL and its suspension."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.jobset import KIND
from kubectl_trainjob.lint.check import ChangeCheck
from kubectl_trainjob.lint.refusals import told
from kubectl_trainjob.lint.views import LintedChange
from kubectl_trainjob.model.hit import Finding
from kubectl_trainjob.model.rules import IMMUTABLE_JOBSET_FIELD


def _find(change: LintedChange) -> Iterator[Finding]:
    if change.identity.kind == KIND:
        yield from told(change)


CHECK = ChangeCheck(IMMUTABLE_JOBSET_FIELD, _find)
