"""KTJ506: With `runLauncherAsNode` the launcher takes part in the training."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, LAUNCHER, NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import MPI_EXTRA_NODE
from kubectl_trainjob.model.source import Place


def _find(job: LintedJob) -> Iterator[Hit]:
    policy = job.policy("mpi")
    if not policy or not policy.get("runLauncherAsNode"):
        return
    roles = {each.name: each for each in job.replicated_jobs}
    if LAUNCHER in roles and NODE in roles:
        nodes = roles[NODE].pods
        asked, place = _asked(job, roles[NODE])
        # Several launchers have a rule of their own.
        if asked is not None and nodes + 1 > max(asked, 1):
            message = (
                f"numNodes is {asked}, but {nodes + 1} nodes take part: the launcher is one, besides {nodes} of "
                f'"{NODE}"; state numNodes {nodes + 1}, or use a runtime without runLauncherAsNode'
            )
            related = (("makes the launcher a node", job.in_runtime("spec", "mlPolicy", "mpi", "runLauncherAsNode")),)
            yield Hit(message, place, related)


def _asked(job: LintedJob, node: ReplicatedJob) -> tuple[int | None, Place]:
    """The nodes that somebody asked for, and where; None where the runtime counts Pods of `node` instead."""
    place = job.in_train_job("spec", "trainer", "numNodes")
    stated = (job.spec.get("trainer") or {}).get("numNodes")
    if stated is not None:
        return stated, place
    if node.ancestor == ANCESTOR_TRAINER:
        return (job.runtime_spec.get("mlPolicy") or {}).get("numNodes", 1), place
    return (1 if node.pods == 1 else None), place


CHECK = JobCheck(MPI_EXTRA_NODE, _find)
