"""JAX: number of processes, rank and coordinator. Mirrors trainer `pkg/runtime/framework/plugins/jax` (2.2, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.nodes import first_node, node_count, trainer_nodes, with_env
from kubectl_trainjob.compiler.expand.plan import NAME, Plan
from kubectl_trainjob.compiler.expand.upsert import env, field_env
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_LABEL, ANCESTOR_TRAINER, COMPLETION_INDEX_FIELD, TRAINER_PORT
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import JAX_TRAINER_STEP

_NO_STEP = "without a replicatedJob with the label {}: {} in the runtime, the controller crashes; add the label"


def trainer_step(plan: Plan) -> Iterator[Diagnostic]:
    """The controller reads the trainer's PodSet without a check that it exists (2.2)."""
    if plan.by_ancestor(ANCESTOR_TRAINER) is None:
        message = say(_NO_STEP, ANCESTOR_LABEL, ANCESTOR_TRAINER)
        yield Diagnostic(JAX_TRAINER_STEP, message, plan.job_place("spec", "runtimeRef", "name"))


def enforce(plan: Plan) -> Plan:
    """Set the nodes, and JAX_* in the `node` container of a TrainJob that has a `spec.trainer`."""
    plan = trainer_nodes(plan)
    nodes = node_count(plan)
    writes = [
        env("JAX_NUM_PROCESSES", str(nodes.value), *nodes.because),
        field_env("JAX_PROCESS_ID", COMPLETION_INDEX_FIELD),
        env("JAX_COORDINATOR_ADDRESS", f"{first_node(plan)}:{TRAINER_PORT}", NAME),
    ]
    return with_env(plan, writes)
