"""The TrainingRuntime of a TrainingJob: its runtime's template with the job's labels, directories and helpers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.frontends.objects import head_of
from kubectl_trainjob.frontends.ome.inputs import RUNTIME, JobInputs
from kubectl_trainjob.frontends.ome.labels import write_labels
from kubectl_trainjob.frontends.ome.mounts import write_helpers, write_mounts
from kubectl_trainjob.frontends.ome.plan import (
    ELASTIC,
    JOBS,
    RUNTIME_SPEC,
    TEMPLATE,
    RuntimePlan,
    container_of,
    elastic_policy,
)
from kubectl_trainjob.kube.facts import jobset, ome, trainer
from kubectl_trainjob.model.draft import Draft, Write, computed, copied, fixed
from kubectl_trainjob.model.edited_object import OBJECT
from kubectl_trainjob.model.source import Pointer, value_at

_TARGETS = "targetReplicatedJobs"
_ALL_OF: dict[str, Any] = {"operator": "All"}


def write_runtime(draft: Draft, plan: RuntimePlan, name: str) -> Draft:
    """The TrainingRuntime, drafted from the inputs."""
    writes = [
        *head_of(plan.inputs.job, trainer.API_VERSION, trainer.TRAINING_RUNTIME),
        computed(("metadata", "name"), name, ((OBJECT, "metadata", "name"),)),
        *_policies(plan.inputs),
        copied(TEMPLATE, plan.template, (*RUNTIME_SPEC, "template")),
    ]
    draft = draft.blank(((OBJECT, "metadata", "name"),)).put_each(writes)
    draft = _rename_roles(draft, plan)
    draft = write_labels(draft, plan)
    for role in plan.roles.each():
        draft = write_mounts(draft, plan, role)
    draft = _with_success_policy(draft, plan)
    return write_helpers(draft, plan)


def _policies(inputs: JobInputs) -> Iterator[Write]:
    """`mlPolicy` always exists: without it, Trainer ignores resourcesPerNode."""
    specified: Mapping[str, Any] = inputs.runtime_spec.get("mlPolicy") or {}
    cause = (*RUNTIME_SPEC, "mlPolicy")
    yield fixed(("spec", "mlPolicy"), {})
    elastic = elastic_policy(inputs).get("maxNodes")
    if "mpi" in specified:
        yield copied(("spec", "mlPolicy", "mpi"), specified["mpi"], (*cause, "mpi"))
    elif elastic is not None:
        yield copied(("spec", "mlPolicy", "numNodes"), elastic, (*ELASTIC, "maxNodes"))
    elif "numNodes" in specified:
        yield copied(("spec", "mlPolicy", "numNodes"), specified["numNodes"], (*cause, "numNodes"))
    if "torch" in specified:
        yield computed(("spec", "mlPolicy", "torch"), {}, ((*cause, "torch"),))
    if "podGroupPolicy" in inputs.runtime_spec:
        policy = inputs.runtime_spec["podGroupPolicy"]
        yield copied(("spec", "podGroupPolicy"), policy, (*RUNTIME_SPEC, "podGroupPolicy"))


def _rename_roles(draft: Draft, plan: RuntimePlan) -> Draft:
    """The jobs and containers under Trainer's names, and every reference to the jobs."""
    cause = ((*RUNTIME_SPEC, "template", *jobset.REPLICATED_JOBS),)
    writes: list[Write] = []
    for role in plan.roles.each():
        for pointer, name in (((*JOBS, role.job, "name"), role.name), ((*container_of(role), "name"), trainer.NODE)):
            if draft.get(*pointer) != name:
                own = (RUNTIME, *pointer)
                writes.append(computed(pointer, name, (own if draft.get(*pointer) is not None else cause[0],)))
    renames = {old: new for old, new in plan.roles.renames.items() if old != new}
    for pointer in _references(draft.get(*TEMPLATE, "spec")):
        name = draft.get(*TEMPLATE, "spec", *pointer)
        if isinstance(name, str) and name in renames:
            writes.append(
                computed((*TEMPLATE, "spec", *pointer), renames[name], ((RUNTIME, *TEMPLATE, "spec", *pointer),))
            )
    return draft.put_each(writes)


def _references(spec: Mapping[str, Any]) -> Iterator[Pointer]:
    """The fields of a JobSet that name replicatedJobs."""
    for index, each in enumerate(spec.get("replicatedJobs") or []):
        yield from (("replicatedJobs", index, "dependsOn", i, "name") for i in range(len(each.get("dependsOn") or [])))
    yield from _targets(spec, ("successPolicy",))
    for index in range(len(value_at(spec, ("failurePolicy", "rules")) or [])):
        yield from _targets(spec, ("failurePolicy", "rules", index))
    yield "coordinator", "replicatedJob"


def _targets(spec: Mapping[str, Any], policy: Pointer) -> Iterator[Pointer]:
    for index in range(len(value_at(spec, (*policy, _TARGETS)) or [])):
        yield *policy, _TARGETS, index


def _with_success_policy(draft: Draft, plan: RuntimePlan) -> Draft:
    pointer = (*TEMPLATE, "spec", "successPolicy")
    exporter = next((each for each in plan.folders if each.helper == ome.EXPORTER), None)
    is_set = draft.get(*pointer) is not None
    if exporter is not None and (is_set or plan.roles.worker is not None):
        return draft.put(pointer, _ALL_OF | {_TARGETS: [ome.EXPORTER]}, because=(exporter.cause,))
    if plan.roles.worker is not None and not is_set:
        return draft.put(
            pointer, _ALL_OF | {_TARGETS: [trainer.LAUNCHER]}, because=((*RUNTIME_SPEC, "mlPolicy", "mpi"),)
        )
    return draft
