"""KTJ613: For a TrainJob with a queue label Kueue owns `suspend`: it sets it when the job is created, removes it for
quota, and sets it again to preempt the job."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.message import say

_OWNED = 'Kueue starts and stops this job for queue "{}", but each apply of suspend: {} {}; remove it'
_STARTS, _STOPS = "starts it without quota", "stops it while it runs"


def find(job: LintedJob) -> Iterator[Hit]:
    """TrainJobs with a queue that set `suspend`."""
    # As written: every admitted body has the schema's default.
    suspend = job.resolved.job.manifest.body["spec"].get("suspend")
    queue = job.queue() if suspend is not None else None
    if queue is not None:
        place = job.in_train_job("spec", "suspend")
        # `true` may be meant to keep the job from starting.
        fix = Fix(say("remove suspend: {}", suspend), (Edit(place),), is_safe=not suspend)
        message = say(_OWNED, queue[0], suspend, say(_STOPS) if suspend else say(_STARTS))
        yield Hit(message, place, fix=fix)
