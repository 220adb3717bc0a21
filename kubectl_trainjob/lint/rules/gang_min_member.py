"""KTJ604: Trainer counts the Pods of one Job of each replicatedJob as members of a PodGroup. It does not multiply by
`replicas`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.kinds import is_pod_group
from kubectl_trainjob.lint.check import At, Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import Message, say

_MISCOUNTED = "the PodGroup has minMember {} for {} Pods: the gang {}; {}"
_EARLY, _NEVER = "is placed before it is complete", "is never complete"


def find(job: LintedJob) -> Iterator[Hit]:
    """PodGroups whose minMember is not the number of Pods; fewer suffice for elastic training."""
    pods = sum(each.pods for each in job.replicated_jobs)
    is_elastic = "elasticPolicy" in (job.policy("torch") or {})
    for nth, group in enumerate(job.objects):
        counted = group["spec"]["minMember"] if is_pod_group(group) else pods
        if counted != pods and not (is_elastic and counted < pods):
            consequence = say(_EARLY) if counted < pods else say(_NEVER)
            at, advice = _cause(job, nth)
            message = say(_MISCOUNTED, counted, pods, consequence, advice)
            yield Hit(message, at, ((say("is counted here"), job.generated(("spec", "minMember"), nth=nth)),))
            return


def _cause(job: LintedJob, nth: int) -> tuple[At, Message]:
    """The replicas that Trainer does not multiply, or a second step `trainer` (before 2.1); and what to do."""
    for each in job.replicated_jobs:
        if each.body.get("replicas", 1) != 1:
            at = job.generated((*each.in_job()[:-1], "replicas"))
            return at, say("set replicas to 1, and parallelism to the number of Pods")
    return job.generated(("spec", "minMember"), nth=nth), say("label only one replicatedJob as the step trainer")
