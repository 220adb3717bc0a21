"""The two ways of a TrainJob's resourcesPerNode into its JobSet.

Up to 2.2 it replaces the resources of the finished JobSet's containers, so earlier computations ignore it; 2.3
merges it into the template before anything is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.compiler.expand.behaviour import ResourcesPerNode
from kubectl_trainjob.compiler.expand.nodes import is_trainer_or_mpi_node
from kubectl_trainjob.compiler.expand.plan import TRAINER, Plan, ancestor_of
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.kube.facts.quantity import canonical
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.model.draft import Draft, copied
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import ResolvedJob

_CAUSE = (*TRAINER, "resourcesPerNode")


def _merge(jobset: Draft, resolved: ResolvedJob) -> Draft:
    """Its amounts over those of the trainer's `node` containers, one by one.

    Mirrors newRuntimeInfo in trainer `pkg/runtime/core/trainingruntime.go`.
    """
    override = (resolved.job.body["spec"].get("trainer") or {}).get("resourcesPerNode")
    policy = resolved.runtime.body["spec"].get("mlPolicy")
    if override is None or policy is None:
        return jobset
    for index, job in enumerate(jobset.get(*REPLICATED_JOBS) or ()):
        if is_trainer_or_mpi_node(job["name"], ancestor_of(jobset, index), policy.get("mpi")):
            jobset = _merge_into_node(jobset, pod_spec(index), override)
    return jobset


def _merge_into_node(jobset: Draft, spec: Pointer, override: Mapping[str, Any]) -> Draft:
    containers = jobset.get(*spec, "containers") or ()
    index = next((i for i, container in enumerate(containers) if container.get("name") == NODE), None)
    if index is None:
        return jobset
    resources = (*spec, "containers", index, "resources")
    # Trainer builds the field from limits and requests only: claims are dropped.
    jobset = jobset.drop((*resources, "claims"))
    return jobset.put_each(
        [
            copied((*resources, field, name), quantity, (*_CAUSE, field, name))
            for field, quantities in _canonical_amounts(override).items()
            for name, quantity in quantities.items()
        ]
    )


def _replace(plan: Plan, jobset: Draft, container: Pointer) -> Draft:
    """Its limits and requests instead of all that the container had, claims included.

    Mirrors Builder.Trainer in trainer `pkg/runtime/framework/plugins/jobset/builder.go`.
    """
    specified = _canonical_amounts((plan.trainer or {}).get("resourcesPerNode") or {})
    return jobset.put((*container, "resources"), specified, copied=_CAUSE) if specified else jobset


def _canonical_amounts(override: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The limits and requests, with quantities in canonical form."""
    return {
        field: {name: canonical(quantity) for name, quantity in override[field].items()}
        for field in ("limits", "requests")
        if field in override
    }


REPLACED = ResourcesPerNode(at_start=lambda jobset, _resolved: jobset, at_end=_replace)
"""2.0-2.2."""

MERGED = ResourcesPerNode(at_start=_merge, at_end=lambda _plan, jobset, _container: jobset)
"""2.3."""
