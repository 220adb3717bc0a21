"""How the nodes of a torchrun job meet."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_trainjob.compiler.expand.nodes import first_node, node_count
from kubectl_trainjob.compiler.expand.plan import NAME, DerivedValue, Plan
from kubectl_trainjob.compiler.expand.processes import Processes
from kubectl_trainjob.compiler.expand.upsert import Upsert, env, field_env
from kubectl_trainjob.kube.facts import trainer


class Meeting(NamedTuple):
    """The variables that say how the nodes meet: their numbers, and the address."""

    ranks: list[Upsert]
    address: list[Upsert]


def meet_at_first_node(plan: Plan, processes: DerivedValue[Processes]) -> Meeting:
    """torchrun's static rendezvous."""
    master = [env("PET_MASTER_ADDR", first_node(plan), NAME), env("PET_MASTER_PORT", str(trainer.TRAINER_PORT))]
    return Meeting(_rank_env(plan, processes), master)


def _rank_env(plan: Plan, processes: DerivedValue[Processes]) -> list[Upsert]:
    nodes = node_count(plan)
    return [
        env("PET_NNODES", str(nodes.value), *nodes.because),
        env("PET_NPROC_PER_NODE", str(processes.value), *processes.because),
        field_env("PET_NODE_RANK", trainer.COMPLETION_INDEX_FIELD),
    ]
