"""XGBoost: tracker address and number of workers. Mirrors trainer `…/framework/plugins/xgboost` (2.2, 2.3)."""

from __future__ import annotations

from kubectl_trainjob.compiler.expand.nodes import first_node, node_count, trainer_nodes, with_env
from kubectl_trainjob.compiler.expand.plan import NAME, Plan
from kubectl_trainjob.compiler.expand.processes import node_resources
from kubectl_trainjob.compiler.expand.upsert import env, field_env
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.kube.facts.trainer import COMPLETION_INDEX_FIELD, TRAINER_PORT


def enforce(plan: Plan) -> Plan:
    """Set the nodes, and DMLC_* in the `node` container: one worker for each GPU, or one for each node."""
    plan = trainer_nodes(plan)
    nodes, gpus = node_count(plan), node_resources(plan).gpus
    workers = as_int32(nodes.value * (as_int32(gpus.value) if gpus.value > 0 else 1))
    writes = [
        env("DMLC_TRACKER_URI", first_node(plan), NAME),
        env("DMLC_TRACKER_PORT", str(TRAINER_PORT)),
        field_env("DMLC_TASK_ID", COMPLETION_INDEX_FIELD),
        env("DMLC_NUM_WORKER", str(workers), *nodes.because, *gpus.because),
    ]
    return with_env(plan, writes)
