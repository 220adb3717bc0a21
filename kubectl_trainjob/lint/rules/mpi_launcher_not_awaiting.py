"""KTJ507: mpirun logs in to the hosts as soon as the launcher runs."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer

_READY = {"name": NODE, "status": "Ready"}
_NEVER_ENDS = 'the launcher waits for status "{}" of "node", whose SSH servers never end; write "Ready"'
_NO_WAIT = "the launcher does not wait for its hosts' SSH servers; add `dependsOn: [{name: node, status: Ready}]`"


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Launchers that do not wait for the SSH servers of their hosts, or that wait for their end."""
    roles = runtime.launcher_and_node()
    if roles is None or runtime.gang_schedulers():
        return
    launcher, node = roles
    awaited = [(index, each["status"]) for index, each in enumerate(_awaited_jobs(launcher)) if each["name"] == NODE]
    for index, status in awaited:
        if status != "Ready":
            place = runtime.in_template((*_depends_on(launcher), index, "status"))
            fix = Fix(say("wait until the nodes are ready"), (set_value(place, "Ready"),))
            yield Hit(say(_NEVER_ENDS, status), place, fix=fix)
    if not awaited and not (runtime.is_in_order() and node.position < launcher.position):
        yield _not_awaited(runtime, launcher, node)


def _awaited_jobs(launcher: ReplicatedJob) -> list[dict[str, str]]:
    return launcher.body.get("dependsOn") or []


def _depends_on(launcher: ReplicatedJob) -> Pointer:
    return (*launcher.in_job()[:-1], "dependsOn")


def _not_awaited(runtime: LintedRuntime, launcher: ReplicatedJob, node: ReplicatedJob) -> Hit:
    is_before = node.position > launcher.position
    message = say('{}, and move "node" before the launcher', say(_NO_WAIT)) if is_before else say(_NO_WAIT)
    place = runtime.in_template((*launcher.in_job()[:-1], "dependsOn" if _awaited_jobs(launcher) else "name"))
    return Hit(message, place, fix=_fix(runtime, launcher, node))


def _fix(runtime: LintedRuntime, launcher: ReplicatedJob, node: ReplicatedJob) -> Fix | None:
    """The missing dependsOn, where JobSet accepts it: on an earlier replicatedJob, in no order, in 2.0 only one."""
    awaited, place = _awaited_jobs(launcher), runtime.in_template(_depends_on(launcher))
    if runtime.is_in_order() or node.position > launcher.position or (awaited and runtime.trainer == "2.0"):
        return None
    edit = set_value(place.child(len(awaited)), _READY) if awaited else set_value(place, [_READY])
    return Fix(say("let the launcher wait for its hosts"), (edit,))
