"""What the launcher passes have in common: the number of nodes and the address of the first one."""

from __future__ import annotations

from kubectl_trainjob.api.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.draft import Cause
from kubectl_trainjob.expand.plan import TRAINER, Plan


def trainer_nodes(plan: Plan) -> Plan:
    """The TrainJob's numNodes on the trainer's PodSet, where it is given."""
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    nodes = (plan.trainer or {}).get("numNodes")
    if pods is None or nodes is None:
        return plan
    return plan.with_count(pods, nodes, (*TRAINER, "numNodes"))


def node_count(plan: Plan) -> tuple[int, tuple[Cause, ...]]:
    """The number of training nodes as the launcher's env states it, and where it comes from."""
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    return (pods.size, pods.counted_from) if pods else (1, ())


def first_node(plan: Plan) -> str:
    """The host name of the first training node; the names `node` and of the Service are fixed upstream."""
    return f"{plan.name}-{NODE}-0-0.{plan.name}"
