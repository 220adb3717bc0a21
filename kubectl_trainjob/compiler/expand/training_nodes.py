"""Which replicatedJobs run training nodes: Trainer asks in three ways, which differ in what they make of `node`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE


def is_trainer(ancestor: str | None) -> bool:
    """The trainer step alone.

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
