"""The JobSet: the last writes, in the order in which Trainer makes them.

Mirrors trainer `pkg/runtime/framework/plugins/jobset` SyncParallelCount, Build and builder.go (2.0-2.3), then keeps
Kueue's labels.
"""

from __future__ import annotations

from kubectl_trainjob.api import jobset as api
from kubectl_trainjob.api.quantity import canonical
from kubectl_trainjob.api.trainer import (
    ANCESTOR_TRAINER,
    DATASET_INITIALIZER,
    INITIALIZER_STORAGE_ENV,
    KUEUE_LABEL_PREFIX,
    MODEL_INITIALIZER,
    NODE,
)
from kubectl_trainjob.draft import Cause, Draft, Entry, Write
from kubectl_trainjob.expand.behaviour import Behaviour
from kubectl_trainjob.expand.identity import identity
from kubectl_trainjob.expand.plan import NAME, TRAIN_JOB, TRAINER, Plan, PodSet
from kubectl_trainjob.expand.upsert import Upsert, job_env, upsert
from kubectl_trainjob.source import Pointer

INITIALIZERS = {DATASET_INITIALIZER: "dataset", MODEL_INITIALIZER: "model"}


def build(plan: Plan, behaviour: Behaviour) -> Draft:
    """The finished JobSet."""
    plan = plan.with_jobset(plan.jobset.step("jobset"))
    for pods in plan.pod_sets:
        first_trainer = plan.by_ancestor(ANCESTOR_TRAINER) if behaviour.counts_first_trainer else None
        same = first_trainer if pods.ancestor == ANCESTOR_TRAINER else None
        plan = plan.with_jobset(_counts(plan, pods, same or pods))
    for pods in plan.pod_sets:
        if pods.ancestor in INITIALIZERS:
            plan = plan.with_jobset(_initializer(plan, pods, INITIALIZERS[pods.ancestor]))
    for pods in plan.pod_sets:
        plan = plan.with_jobset(_trainer(plan, pods, behaviour))
    for pods in plan.pod_sets:
        plan = plan.with_jobset(_pod_metadata(plan, pods))
    return _metadata(plan, _suspend(plan))


def _counts(plan: Plan, pods: PodSet, counted: PodSet) -> Draft:
    """Every replicatedJob runs its PodSet's pods at once: parallelism and completions are overwritten alike."""
    fields = ("parallelism", "completions")
    entries: list[Entry] = [(field, counted.size, None, counted.counted_from) for field in fields]
    return plan.jobset.put_all((*api.job_template(pods.position), "spec"), entries)


def _initializer(plan: Plan, pods: PodSet, field: str) -> Draft:
    cause: Cause = (TRAIN_JOB, "spec", "initializer", field)
    jobset = plan.jobset.put((*api.REPLICATED_JOBS, pods.position, "replicas"), 1)
    settings = (plan.job.get("initializer") or {}).get(field)
    if settings is None or pods.ancestor is None:
        return jobset
    writes = job_env(settings.get("env"), (*cause, "env"))
    if "storageUri" in settings:
        storage = {"name": INITIALIZER_STORAGE_ENV, "value": settings["storageUri"]}
        writes.insert(0, Upsert(storage, because=((*cause, "storageUri"),)))
    for container in plan.containers(pods, pods.ancestor):
        jobset = upsert(jobset, container, "env", writes)
        if "secretRef" in settings:
            reference = {"secretRef": {"name": settings["secretRef"].get("name", "")}}
            position = len(jobset.get(*container, "envFrom") or ())
            jobset = jobset.put((*container, "envFrom", position), reference, because=((*cause, "secretRef"),))
    return jobset


def _trainer(plan: Plan, pods: PodSet, behaviour: Behaviour) -> Draft:
    """Image, command, args and env of the trainer's `node` container; env also where the launcher counts as a node."""
    jobset = plan.jobset
    is_trainer = pods.ancestor == ANCESTOR_TRAINER
    if is_trainer:
        jobset = jobset.put((*api.REPLICATED_JOBS, pods.position, "replicas"), 1)
    launcher_as_node = bool((plan.policy("mpi") or {}).get("runLauncherAsNode")) and pods.name == NODE
    if plan.trainer is None or not (is_trainer or (launcher_as_node and behaviour.launcher_as_node)):
        return jobset
    for container in plan.containers(pods, NODE):
        if is_trainer:
            jobset = _container(plan, jobset, container)
        if behaviour.resources_per_node == "replaced":
            jobset = _resources(plan, jobset, container)
        jobset = upsert(jobset, container, "env", job_env(plan.trainer.get("env"), (*TRAINER, "env")))
    return jobset


def _container(plan: Plan, jobset: Draft, container: Pointer) -> Draft:
    trainer = plan.trainer or {}
    entries: list[Entry] = []
    for field, value in (("image", trainer.get("image")), ("command", plan.command), ("args", plan.args)):
        if value or (field == "image" and value is not None):
            same = value == trainer.get(field)
            entries.append((field, value, (*TRAINER, field), ()) if same else (field, value, None, plan.command_from))
        elif value is not None:
            jobset = jobset.drop((*container, field))
    return jobset.put_all(container, entries) if entries else jobset


def _resources(plan: Plan, jobset: Draft, container: Pointer) -> Draft:
    """The TrainJob's limits and requests instead of all that the container had, claims included."""
    override = (plan.trainer or {}).get("resourcesPerNode") or {}
    stated = {field: override[field] for field in ("limits", "requests") if field in override}
    if not stated:
        return jobset
    resources = {
        field: {name: canonical(quantity) for name, quantity in quantities.items()}
        for field, quantities in stated.items()
    }
    return jobset.put((*container, "resources"), resources, copied=(*TRAINER, "resourcesPerNode"))


def _pod_metadata(plan: Plan, pods: PodSet) -> Draft:
    metadata = (*api.pod_template(pods.position), "metadata")
    return plan.jobset.put_each(
        [
            ((*metadata, field, key), value, None, (NAME,))
            for field, entries in (("labels", plan.pod_labels), ("annotations", plan.pod_annotations))
            for key, value in (entries or {}).items()
        ]
    )


def _suspend(plan: Plan) -> Draft:
    """`suspend` is printed only when the TrainJob states it: the schema's default would fight whoever suspends jobs."""
    jobset = plan.jobset.drop(("spec", "suspend"))
    stated = plan.resolved.job.manifest.body["spec"].get("suspend")
    if stated is None:
        return jobset
    return jobset.put(("spec", "suspend"), stated, copied=(TRAIN_JOB, "spec", "suspend"))


def _metadata(plan: Plan, jobset: Draft) -> Draft:
    """Name and namespace, and Kueue's labels: without a TrainJob in the cluster Kueue manages the JobSet."""
    labels = plan.resolved.job.body["metadata"].get("labels") or {}
    pointers = [("metadata", "labels", key) for key in labels if key.startswith(KUEUE_LABEL_PREFIX)]
    kept: list[Write] = [(each, labels[each[-1]], (TRAIN_JOB, *each), ()) for each in pointers]
    kind: list[Write] = [(("apiVersion",), api.API_VERSION, None, ()), (("kind",), api.KIND, None, ())]
    return jobset.put_each(kind + kept + identity(plan))
