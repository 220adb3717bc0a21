"""KTJ812: The TTL deletes a JobSet some time after it has ended."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Place

_HOOK = "argocd.argoproj.io/hook"  # Argo CD does not create a deleted hook again
_DELETED = "the JobSet is deleted {} seconds after it has ended; the TrainJob that {} applies stays"
_REPEATED = (
    "the JobSet is deleted {} seconds after it has ended, and {} creates it again: the training runs once more; "
    "remove ttlSecondsAfterFinished"
)


def find(job: LintedJob) -> Iterator[Hit]:
    """JobSets with a TTL that a GitOps tool creates again."""
    ttl = job.jobset["spec"].get("ttlSecondsAfterFinished")
    tool = job.context.gitops
    if ttl is None or tool is None or _HOOK in (job.jobset["metadata"].get("annotations") or {}):
        return
    at = job.generated(("spec", "ttlSecondsAfterFinished"), on="key")
    if job.context.emit == "trainjob":
        yield Hit(say(_DELETED, ttl, tool), at, severity=Severity.INFO)
    else:
        yield Hit(say(_REPEATED, ttl, tool), at, fix=_removal)


def _removal(place: Place) -> Fix:
    return Fix(say("remove ttlSecondsAfterFinished"), (Edit(place),), is_safe=False)
