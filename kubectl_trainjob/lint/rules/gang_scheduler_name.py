"""KTJ603: A podGroupPolicy generates a PodGroup, but Trainer does not choose the scheduler: Pods go to the one that
their schedulerName names, and the default one of Kubernetes ignores PodGroups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.source import Place

_DEFAULT = "default-scheduler"
_IGNORES_GROUPS = '"{}" schedules the Pods of "{}" and ignores PodGroups; set schedulerName to {}'


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Pods of a gang for the default scheduler, or for one that is not a gang scheduler of the team."""
    if not runtime.gang_schedulers():
        return
    known = runtime.context.settings.schedulers
    choice = listed(known, "or") or say("the name of your gang scheduler")
    for each in runtime.replicated_jobs:
        name = each.pod.get("schedulerName") or _DEFAULT
        if name not in known if known else name == _DEFAULT:
            place = runtime.in_template(each.in_pod("schedulerName"))
            yield Hit(say(_IGNORES_GROUPS, name, each.name, choice), place, fix=_fix(known, place))


def _fix(known: Sequence[str], place: Place) -> Fix | None:
    """The one scheduler that the team has."""
    if len(known) != 1:
        return None
    return Fix(say('set schedulerName to "{}"', known[0]), (set_value(place, known[0]),), is_safe=False)
