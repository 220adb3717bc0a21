"""The initializers and the exporter: jobs that fill and store folders."""

from __future__ import annotations

from itertools import chain
from typing import Any

from kubectl_trainjob.frontends.ome.folders import WorkspaceFolder
from kubectl_trainjob.frontends.ome.inputs import SETTINGS
from kubectl_trainjob.frontends.ome.labels import pairs_of, with_pairs
from kubectl_trainjob.frontends.ome.plan import (
    CLAIM,
    JOBS,
    NAME_VARIABLE,
    RuntimePlan,
    shared_claim,
)
from kubectl_trainjob.frontends.ome.storage import JOBSET_NAME
from kubectl_trainjob.kube.facts import ome, trainer
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, fixed
from kubectl_trainjob.model.source import Pointer


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
