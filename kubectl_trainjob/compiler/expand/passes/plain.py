"""Jobs without a distributed launcher, and the part that XGBoost and Flux jobs share with them.

Mirrors trainer `pkg/runtime/framework/plugins/plainml` (2.0-2.3).
"""

from __future__ import annotations

from kubectl_trainjob.compiler.expand.nodes import trainer_nodes, with_env
from kubectl_trainjob.compiler.expand.plan import TRAINER, Plan
from kubectl_trainjob.compiler.expand.upsert import job_env


def applies(plan: Plan) -> bool:
    """Every runtime but torch, MPI and JAX ones."""
    return not any(plan.policy(kind) is not None for kind in ("torch", "mpi", "jax"))


def enforce(plan: Plan) -> Plan:
    """Take the number of nodes and the env from the TrainJob."""
    env = job_env((plan.trainer or {}).get("env"), (*TRAINER, "env"))
    return with_env(trainer_nodes(plan), env, has_port=False)
