"""What the launcher passes share: which replicatedJobs are training nodes, their number, the address of the first one.

Trainer has three definitions of training nodes. They differ in the meaning of the name `node`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from kubectl_trainjob.compiler.expand.plan import RUNTIME, TRAINER, DerivedValue, Plan
from kubectl_trainjob.compiler.expand.upsert import Upsert, upsert, upsert_port
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE, OPEN_MPI, TRAINER_PORT
from kubectl_trainjob.model.diagnostic import Diagnostic, Edit, Fix
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Rule


def has_policy(kind: str, plan: Plan) -> bool:
    """Runtimes with `mlPolicy.KIND`."""
    return plan.policy(kind) is not None


def trainer_nodes(plan: Plan) -> Plan:
    """Set the size of the trainer's PodSet to the TrainJob's numNodes, if it is set."""
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    nodes = (plan.trainer or {}).get("numNodes")
    if pods is None or nodes is None:
        return plan
    return plan.with_count(pods, nodes, (*TRAINER, "numNodes"))


def with_env(plan: Plan, writes: Sequence[Upsert], *, has_port: bool = True) -> Plan:
    """Env and port of the trainer's `node` container, for a TrainJob that has a `spec.trainer`."""
    container = plan.container(ANCESTOR_TRAINER, NODE)
    if plan.trainer is None or container is None:
        return plan
    jobset = upsert(plan.jobset, container, "env", writes)
    return plan.with_jobset(upsert_port(jobset, container, TRAINER_PORT) if has_port else jobset)


def node_count(plan: Plan) -> DerivedValue[int]:
    """The number of training nodes in the launcher's env."""
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    return DerivedValue(pods.size, pods.because) if pods else DerivedValue(1)


def launcher_as_node(plan: Plan) -> DerivedValue[bool]:
    """Whether MPI's launcher is one of the nodes; because of the setting, if it is set."""
    policy = plan.policy("mpi") or {}
    because = ((RUNTIME, "spec", "mlPolicy", "mpi", "runLauncherAsNode"),) if "runLauncherAsNode" in policy else ()
    return DerivedValue(bool(policy.get("runLauncherAsNode")), because)


def mpi_implementation(plan: Plan) -> str:
    """The name of the MPI implementation."""
    named: str = (plan.policy("mpi") or {}).get("mpiImplementation", OPEN_MPI)
    return named


def first_node(plan: Plan) -> str:
    """The host name of the first training node; the names `node` and of the Service are fixed upstream."""
    return f"{plan.name}-{NODE}-0-0.{plan.name}"


def is_trainer(ancestor: str | None) -> bool:
    """Only the trainer step.

    FindPodSetByAncestor in trainer `pkg/runtime/runtime.go` (2.0-2.3); newRuntimeInfo in
    `pkg/runtime/core/trainingruntime.go` for what a Pod requests (2.2); Builder.Trainer in
    `pkg/runtime/framework/plugins/jobset/builder.go` (2.0, and for image, command and args 2.1-2.3).
    """
    return ancestor == ANCESTOR_TRAINER


def is_trainer_or_mpi_node(name: str, ancestor: str | None, mpi: Mapping[str, Any] | None) -> bool:
    """Also `node` where MPI's launcher is a node and may be the trainer step; `mpi` is the runtime's policy.

    Builder.Trainer for env and resources (2.1-2.3); newRuntimeInfo for the resources that are merged (2.3).
    """
    return is_trainer(ancestor) or (name == NODE and bool((mpi or {}).get("runLauncherAsNode")))


def is_counted(name: str, ancestor: str | None) -> bool:
    """Also `node`, with any policy: processes are counted from the resources of the first of these.

    ExtractResourcePerNodeFromRuntime in `pkg/runtime/runtime.go` (2.1-2.3).
    """
    return name == NODE or is_trainer(ancestor)


def reserved_env(reserved: Container[str], rule: Rule, plan: Plan) -> Iterator[Diagnostic]:
    """A finding for each of the TrainJob's env entries with a reserved name."""
    for index, entry in enumerate((plan.trainer or {}).get("env") or ()):
        name = entry["name"]
        if name in reserved:
            place = plan.job_place("spec", "trainer", "env", index)
            message = say('"{}" is set by Trainer and not allowed in spec.trainer.env; remove it', name)
            yield Diagnostic(rule, message, place.child("name"), fix=Fix(say("remove {}", name), (Edit(place),)))
