"""KTJ814: Argo CD deletes a hook and creates it again at each sync. The sync waits until the hook has ended."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.delivery import ANNOTATIONS, HOOKS, delivered
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say

_AGAIN = "the job is a hook of Argo CD: each sync deletes the run and starts it again; remove the annotation {}"


def find(job: LintedJob) -> Iterator[Hit]:
    """Jobs that are hooks."""
    if job.context.settings.delivery == "argocd":
        target = delivered(job)
        for key in HOOKS:
            if target.annotations.get(key) not in (None, "Skip"):
                yield Hit(say(_AGAIN, key), target.at((*ANNOTATIONS, key)))
