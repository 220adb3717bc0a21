"""The two replicatedJobs that MPI knows by their names, as a runtime has them.

Mirrors FindPodSetByName and EnforceMLPolicy in trainer `pkg/runtime/framework/plugins/mpi` (2.0-2.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.views import LintedRuntime


def roles(runtime: LintedRuntime) -> Iterator[ReplicatedJob]:
    """The replicatedJobs `launcher` and `node` of a runtime with `mlPolicy.mpi`; nothing of another one."""
    if runtime.policy("mpi") is not None:
        yield from (job for job in runtime.replicated_jobs if job.name in (LAUNCHER, NODE))


def launcher_and_node(runtime: LintedRuntime) -> tuple[ReplicatedJob, ReplicatedJob] | None:
    """Both, None where one of them is missing."""
    found = {each.name: each for each in roles(runtime)}
    return (found[LAUNCHER], found[NODE]) if len(found) == 2 else None
