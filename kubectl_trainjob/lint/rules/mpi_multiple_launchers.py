"""KTJ505: The launcher runs mpirun, so there must be one."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, LAUNCHER
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.mpi import roles
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import MPI_MULTIPLE_LAUNCHERS
from kubectl_trainjob.model.source import Place


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    for role in roles(runtime):
        if role.name == LAUNCHER:
            for field, count, place in _counts(runtime, role):
                if count > 1:
                    message = (
                        f"{field} {count} starts {count} launchers, and each of them starts the whole training; "
                        'write 1, and state the nodes in TrainJobs or as parallelism of "node"'
                    )
                    fix = Fix(f"set {field} to 1", (set_value(place, 1),), is_safe=False)
                    yield Hit(message, place, fix=fix)


def _counts(runtime: LintedRuntime, launcher: ReplicatedJob) -> Iterator[tuple[str, int, Place]]:
    """What decides how many launchers there are."""
    if launcher.ancestor == ANCESTOR_TRAINER:
        nodes = (runtime.spec.get("mlPolicy") or {}).get("numNodes", 1)
        yield "mlPolicy.numNodes", nodes, runtime.place("spec", "mlPolicy", "numNodes")
        return
    parallelism = launcher.in_job("spec", "parallelism")
    yield "parallelism", launcher.job.get("parallelism", 1), runtime.in_template(parallelism)
    replicas = (*launcher.in_job()[:-1], "replicas")
    yield "replicas", launcher.body.get("replicas", 1), runtime.in_template(replicas)


CHECK = RuntimeCheck(MPI_MULTIPLE_LAUNCHERS, _find)
