"""KTJ505: The launcher runs mpirun, so there must be one."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, LAUNCHER
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Place

_MULTIPLE = (
    "{} {} starts {} launchers, and each of them starts the whole training; "
    'write 1, and set the nodes in TrainJobs or as parallelism of "node"'
)


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Runtimes with several launchers."""
    launchers = (role for role in runtime.mpi_roles() if role.name == LAUNCHER)
    for field, count, place in (counts for launcher in launchers for counts in _counts(runtime, launcher)):
        if count > 1:
            fix = Fix(say("set {} to 1", field), (set_value(place, 1),), is_safe=False)
            yield Hit(say(_MULTIPLE, field, count, count), place, fix=fix)


def _counts(runtime: LintedRuntime, launcher: ReplicatedJob) -> Iterator[tuple[str, int, Place]]:
    """What sets the number of launchers."""
    if launcher.ancestor == ANCESTOR_TRAINER:
        nodes = (runtime.spec.get("mlPolicy") or {}).get("numNodes", 1)
        yield "mlPolicy.numNodes", nodes, runtime.place("spec", "mlPolicy", "numNodes")
        return
    parallelism = launcher.in_job("spec", "parallelism")
    yield "parallelism", launcher.job.get("parallelism", 1), runtime.in_template(parallelism)
    replicas = (*launcher.in_job()[:-1], "replicas")
    yield "replicas", launcher.body.get("replicas", 1), runtime.in_template(replicas)
