"""JAX: number of processes, rank and coordinator. Mirrors trainer `pkg/runtime/framework/plugins/jax` (2.2, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.nodes import first_node, node_count, trainer_nodes
from kubectl_trainjob.compiler.expand.plan import NAME, Plan
from kubectl_trainjob.compiler.expand.upsert import env, field_env, upsert, upsert_port
from kubectl_trainjob.kube.facts.trainer import (
    ANCESTOR_LABEL,
    ANCESTOR_TRAINER,
    COMPLETION_INDEX_FIELD,
    NODE,
    TRAINER_PORT,
)
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import JAX_TRAINER_STEP


def applies(plan: Plan) -> bool:
    """Runtimes with `mlPolicy.jax`."""
    return plan.policy("jax") is not None


def trainer_step(plan: Plan) -> Iterator[Diagnostic]:
    """The controller reads the trainer's PodSet without looking whether there is one (2.2)."""
    if plan.by_ancestor(ANCESTOR_TRAINER) is None:
        message = (
            f'no replicatedJob of the runtime is labelled "{ANCESTOR_LABEL}: {ANCESTOR_TRAINER}": the TrainJob is '
            "accepted, then crashes the controller; label one"
        )
        yield Diagnostic(JAX_TRAINER_STEP, message, plan.job_place("spec", "runtimeRef", "name"))


def enforce(plan: Plan) -> Plan:
    """Set the nodes, and JAX_* in the `node` container of a TrainJob that has a `spec.trainer`."""
    plan = trainer_nodes(plan)
    container = plan.container(ANCESTOR_TRAINER, NODE)
    if plan.trainer is None or container is None:
        return plan
    nodes = node_count(plan)
    writes = [
        env("JAX_NUM_PROCESSES", str(nodes.value), *nodes.because),
        field_env("JAX_PROCESS_ID", COMPLETION_INDEX_FIELD),
        env("JAX_COORDINATOR_ADDRESS", f"{first_node(plan)}:{TRAINER_PORT}", NAME),
    ]
    jobset = upsert(plan.jobset, container, "env", writes)
    return plan.with_jobset(upsert_port(jobset, container, TRAINER_PORT))
