"""The JobSet: the last writes, in the order in which Trainer makes them.

Mirrors trainer `pkg/runtime/framework/plugins/jobset` SyncParallelCount, Build and builder.go (2.0-2.3), then keeps
Kueue's labels.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.behaviour import Behaviour
from kubectl_trainjob.compiler.expand.nodes import is_trainer, is_trainer_or_mpi_node
from kubectl_trainjob.compiler.expand.plan import JOB, NAME, TRAINER, Plan, PodSet, identity
from kubectl_trainjob.compiler.expand.upsert import Item, Upsert, job_env, upsert
from kubectl_trainjob.kube.facts import jobset as api
from kubectl_trainjob.kube.facts.sweep import PARAMETERS_ANNOTATION, SWEEP_LABEL
from kubectl_trainjob.kube.facts.trainer import (
    ANCESTOR_TRAINER,
    INITIALIZER_STORAGE_ENV,
    INITIALIZERS,
    KUEUE_LABEL_PREFIX,
    NODE,
)
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.draft import Cause, Draft, Entry, Write, computed, copied, fixed
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import PORTS_OVERWRITTEN
from kubectl_trainjob.model.source import Pointer

_OF_TRIALS = (("metadata", "labels", SWEEP_LABEL), ("metadata", "annotations", PARAMETERS_ANNOTATION))
_SAME_PORTS = (
    'Trainer cannot distinguish ports of container "{}", writes a duplicate, and the API server rejects the '
    "JobSet; give each port its own name and number"
)


def build(plan: Plan, behaviour: Behaviour) -> Draft:
    """The finished JobSet."""
    plan = plan.with_jobset(plan.jobset.step("jobset"))
    for pods in plan.pod_sets:
        first_trainer = plan.by_ancestor(ANCESTOR_TRAINER) if behaviour.counts_first_trainer else None
        same = first_trainer if is_trainer(pods.ancestor) else None
        plan = plan.with_jobset(_counts(plan, pods, same or pods))
    for pods in plan.pod_sets:
        for field, ancestor in INITIALIZERS.items():
            if pods.ancestor == ancestor:
                plan = plan.with_jobset(_initializer(plan, pods, ancestor, field))
    for pods in plan.pod_sets:
        plan = plan.with_jobset(_trainer(plan, pods, behaviour))
    for pods in plan.pod_sets:
        plan = plan.with_jobset(_pod_metadata(plan, pods))
    return _metadata(plan, _suspend(plan))


def _counts(plan: Plan, pods: PodSet, counted: PodSet) -> Draft:
    """Every replicatedJob runs its PodSet's pods at once: parallelism and completions are both overwritten."""
    entries: list[Entry] = [computed(field, counted.size, counted.because) for field in ("parallelism", "completions")]
    return plan.jobset.put_all((*api.job_template(pods.position), "spec"), entries)


def _initializer(plan: Plan, pods: PodSet, ancestor: str, field: str) -> Draft:
    cause: Cause = (JOB, "spec", "initializer", field)
    jobset = plan.jobset.put((*api.REPLICATED_JOBS, pods.position, "replicas"), 1)
    settings = (plan.job.get("initializer") or {}).get(field)
    if settings is None:
        return jobset
    writes = job_env(settings.get("env"), (*cause, "env"))
    if "storageUri" in settings:
        storage = {"name": INITIALIZER_STORAGE_ENV, "value": settings["storageUri"]}
        writes.insert(0, Upsert(storage, because=((*cause, "storageUri"),)))
    for container in plan.containers(pods, ancestor):
        jobset = upsert(jobset, container, "env", writes)
        if "secretRef" in settings:
            reference = {"secretRef": {"name": settings["secretRef"].get("name", "")}}
            position = len(jobset.get(*container, "envFrom") or ())
            jobset = jobset.put((*container, "envFrom", position), reference, because=((*cause, "secretRef"),))
    return jobset


def _trainer(plan: Plan, pods: PodSet, behaviour: Behaviour) -> Draft:
    """Image, command, args and env of the trainer's `node` container; env also where the launcher counts as a node.

    The env is written a second time, after the passes. An entry of the TrainJob overrides the plugin's of that name if
    no webhook rejects it. An example is torch's in 2.0 and 2.1.
    """
    jobset = plan.jobset
    runs_trainer = is_trainer(pods.ancestor)
    if runs_trainer:
        jobset = jobset.put((*api.REPLICATED_JOBS, pods.position, "replicas"), 1)
    gets_trainer = runs_trainer
    if behaviour.mpi_node_is_trainer:
        gets_trainer = is_trainer_or_mpi_node(pods.name, pods.ancestor, plan.policy("mpi"))
    if plan.trainer is None or not gets_trainer:
        return jobset
    for container in plan.containers(pods, NODE):
        if runs_trainer:
            jobset = _container(plan, jobset, container)
        jobset = behaviour.resources_per_node.at_end(plan, jobset, container)
        jobset = upsert(jobset, container, "env", job_env(plan.trainer.get("env"), (*TRAINER, "env")))
    return jobset


def _container(plan: Plan, jobset: Draft, container: Pointer) -> Draft:
    trainer = plan.trainer or {}
    entries: list[Entry] = []
    for field, value in (("image", trainer.get("image")), ("command", plan.command.value), ("args", plan.args)):
        if value or (field == "image" and value is not None):
            same = value == trainer.get(field)
            cause, because = (*TRAINER, field), plan.command.because
            entries.append(copied(field, value, cause) if same else computed(field, value, because))
        elif value is not None:
            jobset = jobset.drop((*container, field))
    return jobset.put_all(container, entries) if entries else jobset


def _pod_metadata(plan: Plan, pods: PodSet) -> Draft:
    metadata = (*api.pod_template(pods.position), "metadata")
    return plan.jobset.put_each(
        [
            computed((*metadata, field, key), value, (NAME,))
            for field, entries in (("labels", plan.pod_labels), ("annotations", plan.pod_annotations))
            for key, value in (entries or {}).items()
        ]
    )


def _suspend(plan: Plan) -> Draft:
    """`suspend` is printed only if the TrainJob has it: the default conflicts with controllers that suspend jobs."""
    jobset = plan.jobset.drop(("spec", "suspend"))
    specified = plan.resolved.job.manifest.body["spec"].get("suspend")
    if specified is None:
        return jobset
    return jobset.put(("spec", "suspend"), specified, copied=(JOB, "spec", "suspend"))


def _metadata(plan: Plan, jobset: Draft) -> Draft:
    """Name and namespace, Kueue's labels and the marks of a sweep.

    Without a TrainJob in the cluster, Kueue manages the JobSet, and users look for the trials among JobSets.
    """
    metadata = plan.resolved.job.body["metadata"]
    labels = metadata.get("labels") or {}
    pointers = [("metadata", "labels", key) for key in labels if key.startswith(KUEUE_LABEL_PREFIX)]
    pointers += [each for each in _OF_TRIALS if each[-1] in (metadata.get(each[1]) or {})]
    kept: list[Write] = [copied(each, metadata[each[1]][each[2]], (JOB, *each)) for each in pointers]
    kind: list[Write] = [fixed(("apiVersion",), api.API_VERSION), fixed(("kind",), api.KIND)]
    return jobset.put_each(kind + kept + identity(plan))


def overwritten_ports(plan: Plan, kinds: tuple[str, ...]) -> Iterator[Diagnostic]:
    """A finding for each container that loses ports; `kinds` are the lists of containers that are written back.

    Build copies the ports of each container and writes them back one by one (UpsertPort of `pkg/apply`). An unnamed
    port takes the place of the first unnamed one: of several some are missing and one is duplicate.
    """
    for pods in plan.pod_sets:
        for pointer, container in _containers(plan, pods, kinds):
            clash = _clash(container["ports"])
            if clash is not None:
                message = say(_SAME_PORTS, container["name"])
                first, later = (plan.origin_place(*pointer, index, "containerPort") for index in clash)
                yield Diagnostic(PORTS_OVERWRITTEN, message, later, (RelatedPlace(say("overwrites this one"), first),))


def _containers(plan: Plan, pods: PodSet, kinds: tuple[str, ...]) -> Iterator[tuple[Pointer, Item]]:
    for kind in kinds:
        for index, container in enumerate(plan.jobset.get(*api.pod_spec(pods.position), kind) or ()):
            if len(container.get("ports") or ()) > 1:
                yield (*api.pod_spec(pods.position), kind, index, "ports"), container


def _clash(ports: list[Item]) -> tuple[int, int] | None:
    """The first port that is overwritten, and the port that takes its place."""
    numbers: dict[int | None, int] = {}
    names: dict[str | None, int] = {}
    for later, port in enumerate(ports):
        # `same_port`, for many ports
        first = min(numbers.setdefault(port.get("containerPort"), later), names.setdefault(port.get("name"), later))
        if first != later:
            return first, later
    return None
