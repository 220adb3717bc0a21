"""KTJ412: A TrainJob with `numNodes: 0` is accepted."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import NUM_NODES_ZERO

_COMPLETES = "gives a training without Pods, which completes at once"
_LAUNCHES = "leaves the hostfile empty, and the launcher runs all the same"


def _find(job: LintedJob) -> Iterator[Hit]:
    mpi = job.policy("mpi")
    if (job.spec.get("trainer") or {}).get("numNodes") != 0 or (mpi or {}).get("runLauncherAsNode"):
        return
    advice = "state 1 or more" if job.spec.get("suspend") else "state 1 or more, or `suspend: true`"
    message = f'numNodes "0" {_COMPLETES if mpi is None else _LAUNCHES}; {advice}'
    yield Hit(message, job.in_train_job("spec", "trainer", "numNodes"))


CHECK = JobCheck(NUM_NODES_ZERO, _find)
