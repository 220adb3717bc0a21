"""The inputs of the TrainingRuntime of a TrainingJob, and which of them conflict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.ome.folders import BaseModelStorage, WorkspaceFolder
from kubectl_trainjob.frontends.ome.inputs import RUNTIME, SETTINGS, JobInputs
from kubectl_trainjob.frontends.ome.roles import Roles, TrainingRole
from kubectl_trainjob.frontends.ome.storage import JOBSET_NAME
from kubectl_trainjob.kube.facts import jobset, ome, trainer
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import OME_MODEL_NODES, OME_NAME_TAKEN, OME_RUNTIME
from kubectl_trainjob.model.source import Pointer, value_at

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
    """All inputs of the TrainingRuntime."""

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
        """The directories that are fetched, dataset before model."""
        fetched = (each for each in self.folders if each.helper and each.helper != ome.EXPORTER)
        return tuple(sorted(fetched, key=lambda each: each.name))

    @property
    def shares_claim(self) -> bool:
        """Whether a directory is in the shared claim."""
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


def check_policies(inputs: JobInputs) -> Iterator[Diagnostic]:
    """What Trainer cannot do of an mlPolicy."""
    place = inputs.runtime.place
    policy: Mapping[str, Any] = inputs.runtime_spec.get("mlPolicy") or {}
    if "torch" in policy and "mpi" in policy:
        message = say("mlPolicy has torch and mpi, but Trainer runs one of them; remove torch or mpi")
        yield Diagnostic(OME_RUNTIME, message, place("spec", "mlPolicy"))
    implementation = (policy.get("mpi") or {}).get("mpiImplementation", trainer.OPEN_MPI)
    if implementation != trainer.OPEN_MPI:
        message = say("Trainer does not run MPI implementation {}; write {}", implementation, trainer.OPEN_MPI)
        yield Diagnostic(OME_RUNTIME, message, place("spec", "mlPolicy", "mpi", "mpiImplementation"))
    elastic = elastic_policy(inputs)
    least, most = elastic.get("minNodes"), elastic.get("maxNodes")
    is_other = most is not None and policy.get("numNodes", most) != most
    if least != most or "metrics" in elastic or is_other:
        message = say(
            "no controller changes the number of nodes of a running job; set minNodes and maxNodes to the same number, "
            "that of numNodes, and remove metrics"
        )
        yield Diagnostic(OME_RUNTIME, message, place("spec", "mlPolicy", "torch", "elasticPolicy"))


def check_taken(plan: RuntimePlan) -> Iterator[Diagnostic]:
    """Names and paths that the conversion adds, but the runtime has already."""
    place = plan.inputs.job.place("spec", "runtimeRef")
    jobs = value_at(plan.template, jobset.REPLICATED_JOBS)
    names = {plan.roles.renames.get(each.get("name"), each.get("name")) for each in jobs}
    taken = [each.helper for each in plan.folders if each.helper in names]
    for role in plan.roles.each():
        volumes = value_at(plan.template, (*jobset.pod_spec(role.job), "volumes")) or []
        container = value_at(plan.template, role.container_at()) or {}
        added = {item["name"] for item, _ in added_volumes(plan)}
        paths = {each.mount_path for each in plan.folders}
        taken += [each["name"] for each in volumes if each.get("name") in added]
        mounted = (str(each.get("mountPath")) for each in container.get("volumeMounts") or [])
        taken += [path for path in mounted if path.rstrip("/") in paths]
        variables = (each.get("name") for each in container.get("env") or [])
        taken += [JOBSET_NAME for name in variables if name == JOBSET_NAME and plan.names_trials]
    for name in dict.fromkeys(taken):
        message = say('the runtime has "{}", which this TrainingJob needs for its storage; rename it there', name)
        yield Diagnostic(OME_NAME_TAKEN, message, place)
    for index, each in enumerate((plan.inputs.spec["trainer"]).get("env") or []):
        if each.get("name") == JOBSET_NAME and plan.names_trials:
            message = say('"{}" is the name of the trial in every container; use another name', JOBSET_NAME)
            yield Diagnostic(OME_NAME_TAKEN, message, plan.inputs.job.place("spec", "trainer", "env", index))


def check_nodes(plan: RuntimePlan) -> Iterator[Diagnostic]:
    """Nodes of the model that the runtime excludes."""
    model = plan.model
    if model is None or plan.inputs.settings.model_access != "hostPath" or not model.path:
        return
    place = plan.inputs.job.place("spec", "modelConfig", "inputModel")
    for role in plan.roles.each():
        pod = value_at(plan.template, jobset.pod_spec(role.job)) or {}
        selector, affinity = pod.get("nodeSelector") or {}, (pod.get("affinity") or {}).get("nodeAffinity")
        for key, value in (model.body.get("nodeSelector") or {}).items():
            if selector.get(key, value) != value:
                message = say(
                    "the nodes of the model have {}={}, but the runtime's nodeSelector requires {}; change one",
                    key,
                    value,
                    selector[key],
                )
                yield Diagnostic(OME_MODEL_NODES, message, place)
        wanted = model.body.get("nodeAffinity")
        if wanted and affinity and affinity != wanted:
            message = say("the model and the runtime have different nodeAffinity; change one of them")
            yield Diagnostic(OME_MODEL_NODES, message, place)
