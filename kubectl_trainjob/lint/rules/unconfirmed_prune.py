"""KTJ818: With automated prune, Argo CD deletes a running JobSet as soon as a commit lacks it."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.gitops import prunes_unconfirmed
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.delivery import applications
from kubectl_trainjob.lint.views import LintContext
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import value_at

_DELETED = "a commit without a job ends its run at once; add Prune=confirm to syncOptions"


def find(context: LintContext) -> Iterator[Hit]:
    """Applications with automated prune that need no confirmation."""
    if context.settings.delivery != "argocd":
        return
    for manifest, spec in applications(context):
        if prunes_unconfirmed(value_at(manifest.body, spec)):
            yield Hit(say(_DELETED), manifest.place(*spec, "syncPolicy", "automated", "prune"))
