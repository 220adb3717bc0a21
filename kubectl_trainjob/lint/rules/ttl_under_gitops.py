"""KTJ812: The TTL deletes a JobSet some time after it has ended."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.rules import TTL_UNDER_GITOPS, Severity
from kubectl_trainjob.model.source import Place

_GITOPS = {"argocd": "Argo CD", "flux": "Flux"}
_HOOK = "argocd.argoproj.io/hook"  # Argo CD does not miss a hook that is gone


def _find(job: LintedJob) -> Iterator[Hit]:
    ttl = job.jobset["spec"].get("ttlSecondsAfterFinished")
    tool = _GITOPS.get(job.around.settings.delivery)
    if ttl is None or tool is None or _HOOK in (job.jobset["metadata"].get("annotations") or {}):
        return
    at = job.made(("spec", "ttlSecondsAfterFinished"), on="key")
    if job.around.emit == "trainjob":
        message = f"the JobSet is deleted {ttl} seconds after it has ended; the TrainJob that {tool} applies stays"
        yield Hit(message, at, severity=Severity.INFO)
        return
    message = (
        f"the JobSet is deleted {ttl} seconds after it has ended, and {tool} creates it again: the training runs once "
        "more; leave ttlSecondsAfterFinished out"
    )
    yield Hit(message, at, fix=_removed)


def _removed(place: Place) -> Fix:
    return Fix("remove ttlSecondsAfterFinished", (Edit(place),), is_safe=False)


CHECK = JobCheck(TTL_UNDER_GITOPS, _find)
