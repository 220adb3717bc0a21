"""KTJ506: With `runLauncherAsNode` the launcher takes part in the training."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, LAUNCHER, NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Place

_EXTRA = (
    'numNodes is {}, but {} nodes take part: the launcher, and {} of "node"; '
    "set numNodes to {}, or use a runtime without runLauncherAsNode"
)


def find(job: LintedJob) -> Iterator[Hit]:
    """TrainJobs in which more nodes than requested take part."""
    policy = job.policy("mpi")
    if not policy or not policy.get("runLauncherAsNode"):
        return
    roles = {each.name: each for each in job.replicated_jobs}
    if LAUNCHER in roles and NODE in roles:
        nodes = roles[NODE].pods
        requested, place = _requested_nodes(job, roles[NODE])
        # For several launchers there is a separate rule.
        if requested is not None and nodes + 1 > max(requested, 1):
            message = say(_EXTRA, requested, nodes + 1, nodes, nodes + 1)
            setting = job.in_runtime("spec", "mlPolicy", "mpi", "runLauncherAsNode")
            yield Hit(message, place, ((say("makes the launcher a node"), setting),))


def _requested_nodes(job: LintedJob, node: ReplicatedJob) -> tuple[int | None, Place]:
    """The requested number of nodes, and where; None where the runtime counts Pods of `node` instead."""
    place = job.in_train_job("spec", "trainer", "numNodes")
    number = (job.spec.get("trainer") or {}).get("numNodes")
    if number is not None:
        return number, place
    if node.ancestor == ANCESTOR_TRAINER:
        return (job.runtime_spec.get("mlPolicy") or {}).get("numNodes", 1), place
    return (1 if node.pods == 1 else None), place
