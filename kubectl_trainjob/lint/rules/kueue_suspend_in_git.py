"""KTJ613: For a TrainJob with a queue label Kueue owns `suspend`: it sets it when the job is created, takes it away
when there is quota, and sets it again to make room."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.queues import kueue_queue
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.rules import KUEUE_SUSPEND_IN_GIT

_CONSEQUENCE = {False: "start it past the queue", True: "stop it when it runs"}


def _find(job: LintedJob) -> Iterator[Hit]:
    # As written: the schema's default stands in every admitted body.
    stated = job.resolved.job.manifest.body["spec"].get("suspend")
    queue = kueue_queue(job) if stated is not None else None
    if queue is not None:
        shown = str(stated).lower()
        message = f'Kueue starts and stops this job for queue "{queue.name}", and suspend: {shown} here would '
        place = job.in_train_job("spec", "suspend")
        # Without `true` nothing is left that could be meant to keep the job from starting.
        fix = Fix(f"leave suspend: {shown} out", (Edit(place),), is_safe=not stated)
        yield Hit(f"{message}{_CONSEQUENCE[bool(stated)]} at each apply; leave it out", place, fix=fix)


CHECK = JobCheck(KUEUE_SUSPEND_IN_GIT, _find)
