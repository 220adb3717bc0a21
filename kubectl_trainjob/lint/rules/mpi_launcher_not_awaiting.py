"""KTJ507: mpirun logs in to the hosts as soon as the launcher runs."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.gangs import in_order, kinds_of_gang
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.mpi import launcher_and_node
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import MPI_LAUNCHER_NOT_AWAITING
from kubectl_trainjob.model.source import Pointer

_READY = {"name": NODE, "status": "Ready"}


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    roles = launcher_and_node(runtime)
    if roles is None or kinds_of_gang(runtime.spec):
        return
    launcher, node = roles
    awaited = [(index, each["status"]) for index, each in enumerate(_awaited(launcher)) if each["name"] == NODE]
    for index, status in awaited:
        if status != "Ready":
            yield _never_ends(runtime, (*_depends_on(launcher), index, "status"), status)
    if not awaited and not (in_order(runtime) and node.position < launcher.position):
        yield _not_awaited(runtime, launcher, node)


def _awaited(launcher: ReplicatedJob) -> list[dict[str, str]]:
    return launcher.body.get("dependsOn") or []


def _depends_on(launcher: ReplicatedJob) -> Pointer:
    return (*launcher.in_job()[:-1], "dependsOn")


def _never_ends(runtime: LintedRuntime, status: Pointer, stated: str) -> Hit:
    message = f'the launcher awaits status "{stated}" of "{NODE}", whose SSH servers never end; write "Ready"'
    place = runtime.in_template(status)
    return Hit(message, place, fix=Fix("await that the nodes are ready", (set_value(place, "Ready"),)))


def _not_awaited(runtime: LintedRuntime, launcher: ReplicatedJob, node: ReplicatedJob) -> Hit:
    message = (
        "the launcher does not wait for its hosts' SSH servers; give it `dependsOn: [{name: node, status: Ready}]`"
    )
    if node.position > launcher.position:
        message += f', and move "{NODE}" before it'
    place = runtime.in_template((*launcher.in_job()[:-1], "dependsOn" if _awaited(launcher) else "name"))
    return Hit(message, place, fix=_fix(runtime, launcher, node))


def _fix(runtime: LintedRuntime, launcher: ReplicatedJob, node: ReplicatedJob) -> Fix | None:
    """The missing dependsOn, where JobSet takes it: on an earlier replicatedJob, in no order, in 2.0 only one."""
    awaited, place = _awaited(launcher), runtime.in_template(_depends_on(launcher))
    if in_order(runtime) or node.position > launcher.position or (awaited and runtime.trainer == "2.0"):
        return None
    change = set_value(place.child(len(awaited)), _READY) if awaited else set_value(place, [_READY])
    return Fix("let the launcher wait for its hosts", (change,))


CHECK = RuntimeCheck(MPI_LAUNCHER_NOT_AWAITING, _find)
