"""How many MPI processes a node takes, by the rules of the releases.

Mirrors the first half of EnforceMLPolicy in trainer `pkg/runtime/framework/plugins/mpi`.
"""

from __future__ import annotations

from kubectl_trainjob.compiler.expand.plan import RUNTIME, TRAINER, Counted, Plan
from kubectl_trainjob.compiler.expand.resources import node_resources
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.model.draft import Cause

MPI: Cause = (RUNTIME, "spec", "mlPolicy", "mpi")


def stated_slots(plan: Plan) -> Counted[int]:
    """Slots a node: the TrainJob's, else the runtime's (2.0)."""
    stated = (plan.trainer or {}).get("numProcPerNode")
    if stated is not None:
        return Counted(stated, ((*TRAINER, "numProcPerNode"),))
    return Counted((plan.policy("mpi") or {}).get("numProcPerNode", 1), ((*MPI, "numProcPerNode"),))


def slots(plan: Plan) -> Counted[int]:
    """The same, where 1 in the runtime means one a GPU (2.1-2.3)."""
    stated, said = stated_slots(plan)
    if stated == 1 and said[0][0] == RUNTIME:
        gpus = node_resources(plan).gpus
        return Counted(as_int32(gpus.value) if gpus.value > 1 else stated, (*gpus.because, *said))
    return Counted(stated, said)
