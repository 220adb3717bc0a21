"""KTJ413: Only Pods of an Indexed Job have a rank and a host name that others can know."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import rendezvous_variable
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import say

_NOT_INDEXED = 'with completionMode "NonIndexed" Pods of "{}" get no rank and no host name; write Indexed'


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Jobs of another mode whose Pods need a rank or a host name."""
    for role in _known_by_index(runtime):
        if role.job.get("completionMode") == "NonIndexed":
            place = runtime.in_template(role.in_job("spec", "completionMode"))
            fix = Fix(say("write `Indexed`"), (set_value(place, "Indexed"),))
            yield Hit(say(_NOT_INDEXED, role.name), place, fix=fix)


def _known_by_index(runtime: LintedRuntime) -> Iterator[ReplicatedJob]:
    """The replicatedJobs whose Pods have a rank, or are found by name."""
    trainer = runtime.trainer_job()
    if rendezvous_variable(runtime) is not None and trainer is not None:
        yield trainer
    named = {NODE} if runtime.policy("mpi") is not None or runtime.policy("flux") is not None else set()
    if (runtime.policy("mpi") or {}).get("runLauncherAsNode"):
        named.add(LAUNCHER)
    yield from (job for job in runtime.replicated_jobs if job.name in named)
