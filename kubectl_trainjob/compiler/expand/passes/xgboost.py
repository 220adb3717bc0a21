"""XGBoost: tracker address and number of workers. Mirrors trainer `…/framework/plugins/xgboost` (2.2, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.nodes import first_node, node_count, reserved_env, trainer_nodes
from kubectl_trainjob.compiler.expand.plan import NAME, Plan
from kubectl_trainjob.compiler.expand.resources import node_resources
from kubectl_trainjob.compiler.expand.upsert import env, field_env, upsert, upsert_port
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.kube.facts.trainer import (
    ANCESTOR_TRAINER,
    COMPLETION_INDEX_FIELD,
    NODE,
    TRAINER_PORT,
    XGBOOST_RESERVED_ENV,
)
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic


def applies(plan: Plan) -> bool:
    """Runtimes with `mlPolicy.xgboost`."""
    return plan.policy("xgboost") is not None


def own_env(plan: Plan) -> Iterator[Diagnostic]:
    """DMLC_* belong to the launcher."""
    return reserved_env(plan, XGBOOST_RESERVED_ENV, rules.XGBOOST_RESERVED_ENV)


def enforce(plan: Plan) -> Plan:
    """Set the nodes, and DMLC_* in the `node` container: one worker a GPU, or one a node."""
    plan = trainer_nodes(plan)
    container = plan.container(ANCESTOR_TRAINER, NODE)
    if plan.trainer is None or container is None:
        return plan
    nodes, gpus = node_count(plan), node_resources(plan).gpus
    workers = as_int32(nodes.value * (as_int32(gpus.value) if gpus.value > 0 else 1))
    writes = [
        env("DMLC_TRACKER_URI", first_node(plan), NAME),
        env("DMLC_TRACKER_PORT", str(TRAINER_PORT)),
        field_env("DMLC_TASK_ID", COMPLETION_INDEX_FIELD),
        env("DMLC_NUM_WORKER", str(workers), *nodes.because, *gpus.because),
    ]
    jobset = upsert(plan.jobset, container, "env", writes)
    return plan.with_jobset(upsert_port(jobset, container, TRAINER_PORT))
