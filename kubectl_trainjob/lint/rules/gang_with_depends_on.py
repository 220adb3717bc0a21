"""KTJ601: Trainer puts every Pod of a job into one PodGroup, and the scheduler places none of them before all exist."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.gangs import in_order, kinds_of_gang
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.rules import GANG_WITH_DEPENDS_ON

_ADVICE = "remove it, or podGroupPolicy"


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    if not kinds_of_gang(runtime.spec):
        return
    jobs = [job.body for job in runtime.replicated_jobs]
    related = (("puts all Pods into one PodGroup", runtime.place("spec", "podGroupPolicy").key()),)
    for index, body in enumerate(jobs):
        if body.get("dependsOn"):
            awaited = f'"{body["dependsOn"][0]["name"]}"'
            message = (
                f'"{body["name"]}" is created after {awaited}, whose Pods are not placed before those of '
                f'"{body["name"]}" exist: the gang never starts; {_ADVICE}'
            )
            place = runtime.place("spec", "template", "spec", "replicatedJobs", index, "dependsOn")
            yield Hit(message, place.key(), related)
    if len(jobs) > 1 and in_order(runtime):
        message = (
            f'"{jobs[1]["name"]}" is created after "{jobs[0]["name"]}", whose Pods are not placed before all exist: '
            f"the gang never starts; {_ADVICE}"
        )
        place = runtime.place("spec", "template", "spec", "startupPolicy", "startupPolicyOrder")
        yield Hit(message, place, related)


CHECK = RuntimeCheck(GANG_WITH_DEPENDS_ON, _find)
