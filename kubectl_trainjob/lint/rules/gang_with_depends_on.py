"""KTJ601: Trainer puts every Pod of a job into one PodGroup, and the scheduler places none of them before all exist."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.message import say

_AFTER = (
    '"{}" is created after "{}", but the scheduler waits until all Pods of the gang exist, so no Pod starts; '
    "remove this setting, or podGroupPolicy"
)


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Gangs in which a Job waits for another one."""
    if not runtime.gang_schedulers():
        return
    jobs = [job.body for job in runtime.replicated_jobs]
    related = ((say("puts all Pods into one PodGroup"), runtime.place("spec", "podGroupPolicy").key()),)
    for index, body in enumerate(jobs):
        if body.get("dependsOn"):
            message = say(_AFTER, body["name"], body["dependsOn"][0]["name"])
            yield Hit(message, runtime.in_template(("spec", "replicatedJobs", index, "dependsOn")).key(), related)
    if len(jobs) > 1 and runtime.is_in_order():
        message = say(_AFTER, jobs[1]["name"], jobs[0]["name"])
        yield Hit(message, runtime.in_template(("spec", "startupPolicy", "startupPolicyOrder")), related)
