"""How many MPI processes a node takes, by the rules of the releases.

Mirrors the first half of EnforceMLPolicy in trainer `pkg/runtime/framework/plugins/mpi`.
"""

from __future__ import annotations

from kubectl_trainjob.api.numbers import as_int32
from kubectl_trainjob.draft import Cause
from kubectl_trainjob.expand.plan import RUNTIME, TRAINER, Plan
from kubectl_trainjob.expand.resources import node_resources

POLICY: Cause = (RUNTIME, "spec", "mlPolicy", "mpi")
Counted = tuple[int, tuple[Cause, ...]]
"""A number, and what it was taken or computed from."""


def stated_slots(plan: Plan) -> Counted:
    """Slots a node: the TrainJob's, else the runtime's (2.0)."""
    stated = (plan.trainer or {}).get("numProcPerNode")
    if stated is not None:
        return stated, ((*TRAINER, "numProcPerNode"),)
    return (plan.policy("mpi") or {}).get("numProcPerNode", 1), ((*POLICY, "numProcPerNode"),)


def slots(plan: Plan) -> Counted:
    """The same, where 1 in the runtime means one a GPU (2.1-2.3)."""
    stated, said = stated_slots(plan)
    if stated == 1 and said[0][0] == RUNTIME:
        resources = node_resources(plan)
        said = (*resources.gpus_from, *said)
        if resources.gpus > 1:
            return as_int32(resources.gpus), said
    return stated, said
