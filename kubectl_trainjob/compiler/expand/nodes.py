"""What the launcher passes share: which replicatedJobs are training nodes, their number, the address of the first one.

Trainer asks in three ways which replicatedJobs are training nodes. They differ in what they make of `node`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.plan import RUNTIME, TRAINER, Counted, Plan
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.model.diagnostic import Diagnostic, Edit, Fix
from kubectl_trainjob.model.rules import Rule


def trainer_nodes(plan: Plan) -> Plan:
    """The TrainJob's numNodes on the trainer's PodSet, where it is given."""
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    nodes = (plan.trainer or {}).get("numNodes")
    if pods is None or nodes is None:
        return plan
    return plan.with_count(pods, nodes, (*TRAINER, "numNodes"))


def node_count(plan: Plan) -> Counted[int]:
    """The number of training nodes as the launcher's env states it."""
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    return Counted(pods.size, pods.because) if pods else Counted(1)


def launcher_as_node(plan: Plan) -> Counted[bool]:
    """Whether MPI's launcher is one of the nodes; because of the setting, where it is stated."""
    policy = plan.policy("mpi") or {}
    because = ((RUNTIME, "spec", "mlPolicy", "mpi", "runLauncherAsNode"),) if "runLauncherAsNode" in policy else ()
    return Counted(bool(policy.get("runLauncherAsNode")), because)


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
    """Also `node` where MPI's launcher is a node, so that it may be the trainer step; `mpi` is the runtime's policy.

    Builder.Trainer for env and resources (2.1-2.3); newRuntimeInfo for the resources that are merged (2.3).
    """
    return is_trainer(ancestor) or (name == NODE and bool((mpi or {}).get("runLauncherAsNode")))


def is_counted(name: str, ancestor: str | None) -> bool:
    """Also `node`, whatever the policy: the first of these has the resources that processes are counted from.

    ExtractResourcePerNodeFromRuntime in `pkg/runtime/runtime.go` (2.1-2.3).
    """
    return name == NODE or is_trainer(ancestor)


def reserved_env(plan: Plan, reserved: Container[str], rule: Rule) -> Iterator[Diagnostic]:
    """A finding for each of the TrainJob's env entries with a reserved name."""
    for index, entry in enumerate((plan.trainer or {}).get("env") or ()):
        name = entry["name"]
        if name in reserved:
            place = plan.job_place("spec", "trainer", "env", index)
            message = f'"{name}" is set by the launcher and must not stand in spec.trainer.env; remove it'
            yield Diagnostic(rule, message, place.child("name"), fix=Fix(f"remove {name}", (Edit(place),)))
