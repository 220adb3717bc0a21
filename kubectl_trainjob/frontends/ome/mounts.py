"""The folders of a job in the containers that train."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.frontends.ome.inputs import JOB_SPEC, MODEL
from kubectl_trainjob.frontends.ome.plan import (
    ELASTIC,
    JOBS,
    NAME_VARIABLE,
    TEMPLATE,
    RuntimePlan,
    added_volumes,
    container_of,
    elastic_policy,
)
from kubectl_trainjob.frontends.ome.roles import TrainingRole
from kubectl_trainjob.kube.facts import jobset
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, copied
from kubectl_trainjob.model.source import Pointer

_TUNING: Cause = (*JOB_SPEC, "hyperParameterTuningConfig")


def write_mounts(draft: Draft, plan: RuntimePlan, role: TrainingRole) -> Draft:
    """The folders in one of the jobs that train: volumes, mounts and variables, each after the existing ones."""
    pod, container = (*TEMPLATE, *jobset.pod_spec(role.job)), container_of(role)
    inputs = plan.inputs
    mounts = [(each.mount(inputs.job.id.name, is_tuned=inputs.is_tuned), each.cause) for each in plan.folders]
    draft = _appended(draft, (*pod, "volumes"), added_volumes(plan))
    draft = _appended(draft, (*container, "volumeMounts"), mounts)
    draft = _appended(draft, (*container, "env"), _env(plan, draft.get(*container, "env") or [], role))
    waits = [({"name": each.helper, "status": "Complete"}, each.cause) for each in plan.initializers]
    draft = _appended(draft, (*JOBS, role.job, "dependsOn"), waits)
    return _placed(draft, plan, pod)


def _appended(draft: Draft, pointer: Pointer, items: list[tuple[dict[str, Any], Cause]]) -> Draft:
    first = len(draft.get(*pointer) or [])
    return draft.put_each(
        [computed((*pointer, first + index), item, (cause,)) for index, (item, cause) in enumerate(items)]
    )


def _env(plan: RuntimePlan, existing: list[dict[str, Any]], role: TrainingRole) -> list[tuple[dict[str, Any], Cause]]:
    found: list[tuple[dict[str, Any], Cause]] = []
    restarts = elastic_policy(plan.inputs).get("maxRestarts")
    if restarts is not None and role is plan.roles.trainer:
        found.append(({"name": "PET_MAX_RESTARTS", "value": str(restarts)}, (*ELASTIC, "maxRestarts")))
    if plan.names_trials:
        found.append((NAME_VARIABLE, _TUNING))
    if plan.model is not None:
        found.append(({"name": "MODEL_NAME", "value": plan.model.name}, (*JOB_SPEC, "modelConfig", "inputModel")))
    paths = ((each, {"name": f"{each.name.upper()}_PATH", "value": each.mount_path}) for each in plan.folders)
    found += [(variable, each.cause) for each, variable in paths]
    names = {each.get("name") for each in existing}
    return [each for each in found if each[0]["name"] not in names]


def _placed(draft: Draft, plan: RuntimePlan, pod: Pointer) -> Draft:
    """The nodes that have the model, where Pods mount it from their node."""
    model = plan.model
    if model is None or plan.inputs.settings.model_access != "hostPath" or not model.path:
        return draft
    cause: Cause = (MODEL, "spec", "storage")
    writes: list[Write] = []
    for key, value in (model.body.get("nodeSelector") or {}).items():
        if (draft.get(*pod, "nodeSelector") or {}).get(key) != value:
            writes.append(copied((*pod, "nodeSelector", key), value, (*cause, "nodeSelector", key)))
    affinity = model.body.get("nodeAffinity")
    if affinity and draft.get(*pod, "affinity", "nodeAffinity") != affinity:
        writes.append(copied((*pod, "affinity", "nodeAffinity"), affinity, (*cause, "nodeAffinity")))
    return draft.put_each(writes)
