"""The two replicatedJobs that MPI knows by their names, as a runtime has them.

Mirrors FindPodSetByName and EnforceMLPolicy in trainer `pkg/runtime/framework/plugins/mpi` (2.0-2.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.lint.views import LintedRuntime, Replicated


def roles(runtime: LintedRuntime) -> Iterator[Replicated]:
    """The replicatedJobs `launcher` and `node` of a runtime with `mlPolicy.mpi`; nothing of another one."""
    if runtime.policy("mpi") is None:
        return
    for position, body in enumerate(runtime.replicated_jobs):
        if body["name"] in (LAUNCHER, NODE):
            yield Replicated(position, body)


def launcher_and_node(runtime: LintedRuntime) -> tuple[Replicated, Replicated] | None:
    """Both, None where one of them is missing."""
    found = {each.name: each for each in roles(runtime)}
    return (found[LAUNCHER], found[NODE]) if len(found) == 2 else None
