"""KTJ413: Only Pods of an Indexed Job have a rank and a host name that others can know."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.launches import rendezvous_variable
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import NON_INDEXED_COMPLETION


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    for role in _known_by_index(runtime):
        if role.job.get("completionMode") == "NonIndexed":
            place = runtime.in_template(role.in_job("spec", "completionMode"))
            message = (
                f'Pods of "{role.name}" get no rank and no host name that others know, as completionMode is '
                '"NonIndexed"; write Indexed'
            )
            yield Hit(message, place, fix=Fix("write `Indexed`", (set_value(place, "Indexed"),)))


def _known_by_index(runtime: LintedRuntime) -> Iterator[ReplicatedJob]:
    """The replicatedJobs whose Pods are called by name or have a rank."""
    trainer = runtime.trainer_job()
    if rendezvous_variable(runtime) is not None and trainer is not None:
        yield trainer
    named = {NODE} if runtime.policy("mpi") is not None or runtime.policy("flux") is not None else set()
    if (runtime.policy("mpi") or {}).get("runLauncherAsNode"):
        named.add(LAUNCHER)
    yield from (job for job in runtime.replicated_jobs if job.name in named)


CHECK = RuntimeCheck(NON_INDEXED_COMPLETION, _find)
