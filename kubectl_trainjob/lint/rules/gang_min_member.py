"""KTJ604: Trainer counts the members of a PodGroup by the Pods of one Job of each replicatedJob, and does not multiply
by `replicas`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.gangs import pod_groups
from kubectl_trainjob.lint.hit import At, Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import GANG_MIN_MEMBER


def _find(job: LintedJob) -> Iterator[Hit]:
    pods = sum(each.pods for each in job.replicated_jobs)
    for nth, group in pod_groups(job):
        wanted = group["spec"]["minMember"]
        if wanted != pods:
            counted = ("is counted here", job.made(("spec", "minMember"), nth=nth))
            at, advice = _cause(job, nth)
            consequence = "is placed before it is complete" if wanted < pods else "is never complete"
            message = f"the PodGroup has minMember {wanted} for {pods} Pods: the gang {consequence}; {advice}"
            yield Hit(message, at, (counted,))
            return


def _cause(job: LintedJob, nth: int) -> tuple[At, str]:
    """The replicas that nobody multiplied by, else (before 2.1) a second step `trainer`; and what to do."""
    for each in job.replicated_jobs:
        if each.body.get("replicas", 1) != 1:
            return job.made((*each.in_job()[:-1], "replicas")), "write replicas: 1, and parallelism for the Pods"
    return job.made(("spec", "minMember"), nth=nth), "let one replicatedJob be the step trainer"


CHECK = JobCheck(GANG_MIN_MEMBER, _find)
