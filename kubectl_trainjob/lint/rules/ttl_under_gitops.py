"""KTJ812: The TTL deletes a JobSet some time after it has ended."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.hit import Change, Finding, Remedy
from kubectl_trainjob.model.rules import TTL_UNDER_GITOPS, Severity

_GITOPS = {"argocd": "Argo CD", "flux": "Flux"}
_HOOK = "argocd.argoproj.io/hook"  # Argo CD does not miss a hook that is gone


def _find(job: LintedJob) -> Iterator[Finding]:
    ttl = job.jobset["spec"].get("ttlSecondsAfterFinished")
    tool = _GITOPS.get(job.around.settings.delivery)
    if ttl is None or tool is None or _HOOK in (job.jobset["metadata"].get("annotations") or {}):
        return
    at = job.made(("spec", "ttlSecondsAfterFinished"), on="key")
    if job.around.emit == "trainjob":
        message = f"the JobSet is deleted {ttl} seconds after it has ended; the TrainJob that {tool} applies stays"
        yield Finding(message, at, severity=Severity.INFO)
        return
    message = (
        f"the JobSet is deleted {ttl} seconds after it has ended, and {tool} creates it again: the training runs once "
        "more; leave ttlSecondsAfterFinished out"
    )
    yield Finding(message, at, remedy=Remedy("remove ttlSecondsAfterFinished", (Change(at),), is_safe=False))


CHECK = JobCheck(TTL_UNDER_GITOPS, _find)
