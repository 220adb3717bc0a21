"""KTJ412: A TrainJob with `numNodes: 0` is accepted."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say

_NO_PODS = "numNodes 0 gives a training without Pods, which completes at once; set 1 or more"
_NO_HOSTS = "numNodes 0 leaves the hostfile empty, but the launcher runs; set 1 or more"


def find(job: LintedJob) -> Iterator[Hit]:
    """TrainJobs with this number."""
    mpi = job.policy("mpi")
    if (job.spec.get("trainer") or {}).get("numNodes") != 0 or (mpi or {}).get("runLauncherAsNode"):
        return
    message = say(_NO_PODS) if mpi is None else say(_NO_HOSTS)
    message = message if job.spec.get("suspend") else say("{}, or `suspend: true`", message)
    yield Hit(message, job.in_train_job("spec", "trainer", "numNodes"))
