"""What the TrainingRuntime of a TrainingJob is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.ome.folders import BaseModelStorage, WorkspaceFolder
from kubectl_trainjob.frontends.ome.inputs import RUNTIME, SETTINGS, JobInputs
from kubectl_trainjob.frontends.ome.roles import Roles, TrainingRole
from kubectl_trainjob.frontends.ome.storage import JOBSET_NAME
from kubectl_trainjob.kube.facts import jobset, ome, trainer
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.source import Pointer

TEMPLATE: Pointer = ("spec", "template")
"""The template of a runtime's JobSet, in the runtime."""
JOBS: Pointer = (*TEMPLATE, *jobset.REPLICATED_JOBS)
RUNTIME_SPEC: Cause = (RUNTIME, "spec")
ELASTIC: Cause = (*RUNTIME_SPEC, "mlPolicy", "torch", "elasticPolicy")
CLAIM: Cause = (SETTINGS, "ome", "output", "claimName")
NAME_VARIABLE = {
    "name": JOBSET_NAME,
    "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{jobset.JOBSET_NAME_LABEL}']"}},
}
"""The variable with the name of the trial."""


class RuntimePlan(NamedTuple):
    """All that the TrainingRuntime is made of."""

    inputs: JobInputs
    roles: Roles
    folders: tuple[WorkspaceFolder, ...]
    model: BaseModelStorage | None

    @property
    def template(self) -> Mapping[str, Any]:
        """The template of the runtime, without nulls."""
        found: Mapping[str, Any] = self.inputs.runtime_spec["template"]
        return found

    @property
    def initializers(self) -> tuple[WorkspaceFolder, ...]:
        """The folders that are fetched, dataset before model."""
        fetched = (each for each in self.folders if each.helper and each.helper != ome.EXPORTER)
        return tuple(sorted(fetched, key=lambda each: each.name))

    @property
    def shares_claim(self) -> bool:
        """Whether a folder is in the shared claim."""
        return any(each.volume is None for each in self.folders)

    @property
    def names_trials(self) -> bool:
        """Whether the containers need the name of their trial."""
        return any(each.is_of_trial(is_tuned=self.inputs.is_tuned) for each in self.folders)


def container_of(role: TrainingRole) -> Pointer:
    """The container that trains, in the runtime."""
    return (*TEMPLATE, *role.container_at())


def elastic_policy(inputs: JobInputs) -> Mapping[str, Any]:
    """The elasticPolicy of the runtime, {} without one."""
    torch = inputs.policy("torch") or {}
    found: Mapping[str, Any] = torch.get("elasticPolicy") or {}  # type: ignore[assignment]
    return found


def added_volumes(plan: RuntimePlan) -> list[tuple[dict[str, Any], Cause]]:
    """The volumes that each Pod that trains gets, with their causes."""
    own = [({"name": each.name, **each.volume}, each.cause) for each in plan.folders if each.volume is not None]
    shared = [({"name": trainer.INITIALIZER_VOLUME, **shared_claim(plan)}, CLAIM)] if plan.shares_claim else []
    return [*own, *shared]


def shared_claim(plan: RuntimePlan) -> dict[str, Any]:
    """The source of the shared volume."""
    return {"persistentVolumeClaim": {"claimName": plan.inputs.settings.claim}}
