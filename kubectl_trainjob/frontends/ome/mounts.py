"""The directories of a job in the containers that train, and the jobs that fill and store them."""

from __future__ import annotations

from itertools import chain
from typing import Any

from kubectl_trainjob.frontends.ome.folders import WorkspaceFolder
from kubectl_trainjob.frontends.ome.inputs import JOB_SPEC, MODEL, SETTINGS
from kubectl_trainjob.frontends.ome.labels import pairs_of, with_pairs
from kubectl_trainjob.frontends.ome.plan import (
    CLAIM,
    ELASTIC,
    JOBS,
    NAME_VARIABLE,
    TEMPLATE,
    RuntimePlan,
    added_volumes,
    container_of,
    elastic_policy,
    shared_claim,
)
from kubectl_trainjob.frontends.ome.roles import TrainingRole
from kubectl_trainjob.frontends.ome.storage import JOBSET_NAME
from kubectl_trainjob.kube.facts import jobset, ome, trainer
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, copied, fixed
from kubectl_trainjob.model.source import Pointer

_TUNING: Cause = (*JOB_SPEC, "hyperParameterTuningConfig")


def write_mounts(draft: Draft, plan: RuntimePlan, role: TrainingRole) -> Draft:
    """The directories in one of the jobs that train: volumes, mounts and variables, each after the existing ones."""
    pod, container = (*TEMPLATE, *jobset.pod_spec(role.job)), container_of(role)
    inputs = plan.inputs
    mounts = [(each.mount(inputs.job.id.name, is_tuned=inputs.is_tuned), each.cause) for each in plan.folders]
    draft = _append(draft, (*pod, "volumes"), added_volumes(plan))
    draft = _append(draft, (*container, "volumeMounts"), mounts)
    draft = _append(draft, (*container, "env"), _env(plan, draft.get(*container, "env") or [], role))
    waits = [({"name": each.helper, "status": "Complete"}, each.cause) for each in plan.initializers]
    draft = _append(draft, (*JOBS, role.job, "dependsOn"), waits)
    return _place_volumes(draft, plan, pod)


def _append(draft: Draft, pointer: Pointer, items: list[tuple[dict[str, Any], Cause]]) -> Draft:
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


def _place_volumes(draft: Draft, plan: RuntimePlan, pod: Pointer) -> Draft:
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


def write_helpers(draft: Draft, plan: RuntimePlan) -> Draft:
    """The initializers before all other jobs, dataset before model, and the exporter after them."""
    first = plan.initializers
    last = [each for each in plan.folders if each.helper == ome.EXPORTER]
    if not first and not last:
        return draft
    jobs = draft.entry(*JOBS)
    own = [jobs.entry(index) for index in range(len(jobs.value))]
    helpers = {each.name: _helper(draft, plan, each) for each in (*first, *last)}
    before, after = [helpers[each.name] for each in first], [helpers[each.name] for each in last]
    return draft.graft(JOBS, jobs.with_items([*before, *own, *after]))


def _helper(draft: Draft, plan: RuntimePlan, folder: WorkspaceFolder) -> Draft:
    """The replicatedJob of an initializer or exporter."""
    inputs, is_exporter = plan.inputs, folder.helper == ome.EXPORTER
    metadata, pod = ("template", "metadata"), ("template", "spec", "template")
    container: Pointer = (*pod, "spec", "containers", 0)
    cause = (folder.cause,)
    setting: Cause = (SETTINGS, "ome", "exporters" if is_exporter else "initializers")
    writes: list[Write] = [
        computed(("name",), folder.helper, cause),
        computed((*container, "name"), folder.helper, cause),
        computed((*container, "image"), folder.image, (setting, *cause) if inputs.settings_source else cause),
        computed((*container, "volumeMounts", 0), folder.mount(inputs.job.id.name, is_tuned=inputs.is_tuned), cause),
        computed((*pod, "spec", "volumes", 0), {"name": trainer.INITIALIZER_VOLUME, **shared_claim(plan)}, (CLAIM,)),
    ]
    env = [NAME_VARIABLE] if plan.names_trials else []
    if is_exporter:
        waits = {"name": plan.roles.trainer.name, "status": "Complete"}
        writes.append(computed(("dependsOn", 0), waits, cause))
        env += _exporter_env(folder, is_tuned=inputs.is_tuned)
        if folder.storage and folder.storage.secret:
            secret = {"secretRef": {"name": folder.storage.secret}}
            writes.append(computed((*container, "envFrom", 0), secret, (folder.storage.cause,)))
    else:
        writes.append(fixed((*metadata, "labels", trainer.ANCESTOR_LABEL), folder.helper))
    writes += [computed((*container, "env", index), each, cause) for index, each in enumerate(env)]
    helper = draft.blank(cause).put_each(writes)
    for field in ("labels", "annotations"):
        pairs = pairs_of(inputs, field)
        places = (*metadata, field), (*pod, "metadata", field)
        helper = helper.put_each(list(chain.from_iterable(with_pairs(helper, each, pairs) for each in places)))
    return helper


def _exporter_env(folder: WorkspaceFolder, *, is_tuned: bool) -> list[dict[str, Any]]:
    assert folder.storage is not None
    uri = f"{folder.storage.uri.rstrip('/')}/$({JOBSET_NAME})" if is_tuned else folder.storage.uri
    return [{"name": trainer.INITIALIZER_STORAGE_ENV, "value": uri}, *folder.storage.env()]
