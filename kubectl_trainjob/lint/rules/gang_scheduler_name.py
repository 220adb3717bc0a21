"""KTJ603: A podGroupPolicy makes a PodGroup, but Trainer does not choose the scheduler: Pods go to the one that their
schedulerName names, and the usual one of Kubernetes knows nothing of PodGroups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.gangs import kinds_of_gang
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import GANG_SCHEDULER_NAME
from kubectl_trainjob.model.source import Place

_USUAL = "default-scheduler"


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    if not kinds_of_gang(runtime.spec):
        return
    known = runtime.around.settings.schedulers
    for each in runtime.replicated_jobs:
        named = each.pod.get("schedulerName") or _USUAL
        if named not in known if known else named == _USUAL:
            place = runtime.place("spec", "template", *each.in_pod("schedulerName"))
            message = (
                f'"{named}" schedules the Pods of "{each.name}" and does not know PodGroups; set schedulerName to '
                f"{_choice(known)}"
            )
            yield Hit(message, place, fix=_fix(known, place))


def _choice(known: Sequence[str]) -> str:
    return " or ".join(f'"{name}"' for name in known) or "the name of your gang scheduler"


def _fix(known: Sequence[str], place: Place) -> Fix | None:
    """The one scheduler that the team has."""
    if len(known) != 1:
        return None
    return Fix(f"set schedulerName to {known[0]}", (set_value(place, known[0]),), is_safe=False)


CHECK = RuntimeCheck(GANG_SCHEDULER_NAME, _find)
