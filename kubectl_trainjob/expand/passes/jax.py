"""JAX: number of processes, rank and coordinator. Mirrors trainer `pkg/runtime/framework/plugins/jax` (2.2, 2.3)."""

from __future__ import annotations

from kubectl_trainjob.api.trainer import ANCESTOR_TRAINER, COMPLETION_INDEX_FIELD, NODE, TRAINER_PORT
from kubectl_trainjob.expand.nodes import first_node, node_count, trainer_nodes
from kubectl_trainjob.expand.plan import Plan
from kubectl_trainjob.expand.upsert import Write, env, field_env, upsert


def applies(plan: Plan) -> bool:
    """Runtimes with `mlPolicy.jax`."""
    return plan.policy("jax") is not None


def enforce(plan: Plan) -> Plan:
    """Set the nodes, and JAX_* in the `node` container of a TrainJob that has a `spec.trainer`."""
    plan = trainer_nodes(plan)
    container = plan.container(ANCESTOR_TRAINER, NODE)
    if plan.trainer is None or container is None:
        return plan
    nodes, causes = node_count(plan)
    writes = [
        env("JAX_NUM_PROCESSES", str(nodes), *causes),
        field_env("JAX_PROCESS_ID", COMPLETION_INDEX_FIELD),
        env("JAX_COORDINATOR_ADDRESS", f"{first_node(plan)}:{TRAINER_PORT}"),
    ]
    jobset = upsert(plan.jobset, container, "env", writes)
    return plan.with_jobset(upsert(jobset, container, "ports", [Write({"containerPort": TRAINER_PORT})]))
