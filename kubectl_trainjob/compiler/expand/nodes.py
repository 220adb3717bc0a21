"""What the launcher passes have in common: how many nodes there are, and the address of the first one."""

from __future__ import annotations

from kubectl_trainjob.compiler.expand.counted import Counted
from kubectl_trainjob.compiler.expand.plan import RUNTIME, TRAINER, Plan
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE


def trainer_nodes(plan: Plan) -> Plan:
    """The TrainJob's numNodes on the trainer's PodSet, where it is given."""
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    nodes = (plan.trainer or {}).get("numNodes")
    if pods is None or nodes is None:
        return plan
    return plan.with_count(pods, nodes, (*TRAINER, "numNodes"))


def node_count(plan: Plan) -> Counted[int]:
    """The number of training nodes as the launcher's env states it."""
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    return Counted(pods.size, pods.because) if pods else Counted(1)


def launcher_as_node(plan: Plan) -> Counted[bool]:
    """Whether MPI's launcher is one of the nodes; because of the setting, where it is stated."""
    policy = plan.policy("mpi") or {}
    because = ((RUNTIME, "spec", "mlPolicy", "mpi", "runLauncherAsNode"),) if "runLauncherAsNode" in policy else ()
    return Counted(bool(policy.get("runLauncherAsNode")), because)


def first_node(plan: Plan) -> str:
    """The host name of the first training node; the names `node` and of the Service are fixed upstream."""
    return f"{plan.name}-{NODE}-0-0.{plan.name}"
