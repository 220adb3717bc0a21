"""The three shapes of a job: equal Pods in one replicatedJob, a replicatedJob for each role, and MPI."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.commands import Start, has_process_count, mentioned, start_of
from kubectl_trainjob.frontends.legacy.gang import gang_of
from kubectl_trainjob.frontends.legacy.lifecycle import job_settings, jobset_settings, train_job_settings
from kubectl_trainjob.frontends.legacy.names import Peers, label_places
from kubectl_trainjob.frontends.legacy.notes import MigrationNote, note
from kubectl_trainjob.frontends.legacy.operators import PYTORCH, TENSORFLOW, XGBOOST, JobRole, LegacyJob
from kubectl_trainjob.frontends.legacy.pods import (
    ConvertedContainer,
    PodContext,
    complete,
    convert_container,
    split,
    template,
)
from kubectl_trainjob.frontends.legacy.variables import JOBSET_NAME, Layout, helpers, processes_per_node
from kubectl_trainjob.kube.facts.trainer import (
    ANCESTOR_LABEL,
    ANCESTOR_TRAINER,
    COMPLETION_INDEX_FIELD,
    NODE,
    TORCH_RESERVED_ENV,
    TRAINER_PORT,
)
from kubectl_trainjob.kube.launch.command_line import with_references
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.stages import Body

_GLOBAL_INDEX = "metadata.labels['jobset.sigs.k8s.io/job-global-index']"
_JOB_INDEX = "metadata.labels['jobset.sigs.k8s.io/job-index']"
_INDEX = "batch.kubernetes.io/job-completion-index"
_REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"


class JobShape(NamedTuple):
    """The spec of a runtime, and the fields of the TrainJob's spec without runtimeRef."""

    runtime: dict[str, Any]
    job: dict[str, Any]
    notes: tuple[MigrationNote, ...] = ()


def shape_of(job: LegacyJob) -> JobShape:
    """The runtime and the TrainJob of a job other than MPI.

    Pods that read or select labels of roles need replicatedJobs for the roles, even if the Pods are equal.
    """
    if not has_equal_pods(job):
        return _roles(job)
    equal = _equal_pods(job)
    if len(job.roles) > 1 and _has_old_labels(equal):
        roles = _roles(job)
        return equal if _has_old_labels(roles) else roles
    return equal


def _has_old_labels(shape: JobShape) -> bool:
    return any(label_places([shape.runtime, shape.job]))


def has_equal_pods(job: LegacyJob) -> bool:
    """Whether all Pods have one template and differ in their number only."""
    first, *others = job.roles
    if others and job.operator.kind not in (PYTORCH, XGBOOST):
        return False
    return all(role.template == first.template and role.restart == first.restart for role in others)


def _equal_pods(job: LegacyJob) -> JobShape:
    first = job.roles[0]
    starts = {role.name: sum(each.count for each in job.roles[:number]) for number, role in enumerate(job.roles)}

    def address(name: str, role: str, index: int | str) -> str:
        number = index if isinstance(index, str) else starts.get(role, 0) + index
        return f"{name}-{NODE}-0-{number}.{name}"

    def select(role: str) -> dict[str, str] | None:
        if len(job.roles) == 1:
            return {_REPLICATED_JOB: NODE if role == first.name else role}
        return {_INDEX: "0"} if role == "master" else None

    own_index = COMPLETION_INDEX_FIELD if len(job.roles) == 1 else ""
    layout = Layout(lambda role, index: address(f"$({JOBSET_NAME})", role, index), COMPLETION_INDEX_FIELD, own_index)
    peers = Peers(job, lambda role, index: address(job.name, role, index), select)
    has_torch = _is_for_torch(job)
    context = PodContext(job, first, layout, peers, set_by_trainer=TORCH_RESERVED_ENV if has_torch else frozenset())
    gang = gang_of(job)
    containers, trainer = _trainer(context, has_torch=has_torch)
    policy = {"numNodes": 1, "torch": {}} if has_torch else {"numNodes": 1}
    replicated = replicated_job(NODE, job_settings(job, first, NODE), template(context, containers, gang.scheduler))
    runtime = runtime_spec(policy, [replicated], jobset_settings(job), gang.annotations, gang.policy)
    notes = (*gang.notes, *_port_notes(job)) if has_torch else gang.notes
    return JobShape(runtime, {**train_job_settings(job), "trainer": trainer}, notes)


def _port_notes(job: LegacyJob) -> Iterator[MigrationNote]:
    """Trainer's port of torchrun, which Pods in the network of the host share with other Pods of the node."""
    first = job.roles[0]
    starts_python = start_of(first.pod["containers"][job.main(first)]) is Start.PYTHON
    if first.pod.get("hostNetwork") and not starts_python and job.pods > 1:
        message = say("hostNetwork: torchrun uses port {} of the node, and not {}", TRAINER_PORT, job.port(first))
        yield note(message, "spec", job.operator.field, first.key, "template", "spec", "hostNetwork")


def _trainer(context: PodContext, *, has_torch: bool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The containers of the runtime, and `spec.trainer` of the TrainJob."""
    job, layout = context.job, context.layout
    containers: list[dict[str, Any]] = []
    trainer: dict[str, Any] = {}
    for index in range(len(context.role.pod["containers"])):
        container = convert_container(context, index)
        if index != job.main(context.role):
            containers.append(complete(container, layout))
            continue
        own, shared = split(container.body)
        if has_torch and "ports" in shared:
            shared["ports"] = [_with_name(port) for port in shared["ports"]]
        fixed = [each for each in container.added if not each.is_counted]
        env = [each.entry for each in (*helpers(container.added, layout), *fixed)]
        containers.append({**shared, "env": env} if env else shared)
        trainer = {key: own[key] for key in ("image", "command", "args") if key in own}
        trainer |= {"numNodes": job.pods, **_process_count(job, has_torch=has_torch)}
        resources = own.get("resources") or {}
        if set(resources) <= {"limits", "requests"} and resources:
            trainer["resourcesPerNode"] = resources
        elif resources:
            containers[-1]["resources"] = resources
        counted = [each.entry for each in container.added if each.is_counted]
        trainer |= {"env": [*_literal(container, layout), *counted]} if container.own or counted else {}
    return containers, trainer


def _with_name(port: dict[str, Any]) -> dict[str, Any]:
    """The port with a name: Trainer writes its own port over the first one without a name."""
    return {"name": f"{port.get('protocol', 'TCP').lower()}-{port['containerPort']}", **port}


def _literal(container: ConvertedContainer, layout: Layout) -> list[dict[str, Any]]:
    """The user's variables. In the runtime, the operator's come first, so references to them stay text as before."""
    later = {each.name for each in (*helpers(container.added, layout), *container.added)}

    def as_text(name: str) -> str | None:
        return f"$$({name})" if name in later else None

    return [
        {**entry, "value": with_references(entry["value"], as_text)} if entry.get("value") else entry
        for entry in container.own
    ]


def _process_count(job: LegacyJob, *, has_torch: bool) -> dict[str, Any]:
    text = processes_per_node(job.spec)
    return {"numProcPerNode": int(text)} if has_torch and text.isdecimal() and int(text) else {}


def _is_for_torch(job: LegacyJob) -> bool:
    """Whether Trainer's torch policy gives the launch the same as the operator."""
    if job.operator.kind != PYTORCH or "elasticPolicy" in job.spec:
        return False
    first = job.roles[0]
    main = first.pod["containers"][job.main(first)]
    written = {entry["name"] for entry in main.get("env") or ()} & TORCH_RESERVED_ENV
    if written and job.role("Master") is None:
        return False
    return not _reads_process_count(main) or _counts_alike(job, main)


def _reads_process_count(main: Body) -> bool:
    """Whether the number of processes comes from PET_NPROC_PER_NODE."""
    name = "PET_NPROC_PER_NODE"
    if mentioned([name], main) or any(entry["name"] == name for entry in main.get("env") or ()):
        return True
    return start_of(main) in (Start.TORCHRUN, Start.OPAQUE) and not has_process_count(main)


def _counts_alike(job: LegacyJob, main: Body) -> bool:
    """Whether Trainer counts as many processes as torchrun does for the operator's text.

    Trainer counts GPUs of one name, else the CPUs of the container; torchrun those of the machine.
    """
    text = processes_per_node(job.spec)
    if text.isdecimal():
        return int(text) > 0
    limits = (main.get("resources") or {}).get("limits") or {}
    gpus = [amount for name, amount in limits.items() if "gpu" in name.lower()]
    return text in ("auto", "gpu") and len(gpus) == 1 and str(gpus[0]).isdecimal() and int(gpus[0]) > 0


def _roles(job: LegacyJob) -> JobShape:
    """Ranks over several replicatedJobs come from a label that numbers Jobs: then each Pod is a Job."""
    has_ranks = job.operator.kind in (PYTORCH, XGBOOST)

    def address(name: str, role: str, index: int | str) -> str:
        numbers = f"{index}-0" if has_ranks and role != "master" else f"0-{index}"
        return f"{name}-{role}-{numbers}.{name}"

    layout = Layout(
        lambda role, index: address(f"$({JOBSET_NAME})", role, index),
        _GLOBAL_INDEX,
        _JOB_INDEX if has_ranks else COMPLETION_INDEX_FIELD,
    )
    peers = Peers(job, lambda role, index: address(job.name, role, index), lambda role: {_REPLICATED_JOB: role})
    is_counted = not has_ranks or all(role.count == 1 for role in job.roles)
    gang = gang_of(job, counts_all=is_counted)
    replicated = [
        _role_job(PodContext(job, role, layout, peers, _main_name(job, role)), gang.scheduler, has_ranks=has_ranks)
        for role in job.roles
    ]
    leading = _leading(job)
    success = {"successPolicy": {"operator": "All", "targetReplicatedJobs": [leading]}} if leading else {}
    settings = {**success, **jobset_settings(job)}
    nodes = 1 if has_ranks else job.roles[0].count
    runtime = runtime_spec({"numNodes": nodes}, replicated, settings, gang.annotations, gang.policy)
    return JobShape(runtime, train_job_settings(job), gang.notes)


def _main_name(job: LegacyJob, role: JobRole) -> str:
    """TrainJobs cannot patch the env of a container `node`, so only that of the first role has this name."""
    return NODE if role is job.roles[0] else job.operator.container


def _role_job(context: PodContext, scheduler: str, *, has_ranks: bool) -> dict[str, Any]:
    job, role = context.job, context.role
    count = len(role.pod["containers"])
    containers = [complete(convert_container(context, index), context.layout) for index in range(count)]
    settings = job_settings(job, role, context.main)
    is_trainer = role is job.roles[0]  # Trainer sets its number of Pods
    has_one = has_ranks or is_trainer or role.count == 1
    counts = {} if has_one else {"parallelism": role.count, "completions": role.count}
    pods = template(context, containers, scheduler)
    replicated = replicated_job(role.name, {**counts, **settings}, pods, is_trainer=is_trainer)
    if has_ranks and role.count > 1:
        replicated = {"name": role.name, "replicas": role.count, "template": replicated["template"]}
    return replicated


def _leading(job: LegacyJob) -> str:
    """The role whose success is that of the job, "" if all Pods have to succeed."""
    names = [role.key for role in job.roles]
    if job.operator.kind == TENSORFLOW:
        if job.spec.get("successPolicy") == "AllWorkers" and not {"PS", "Evaluator"} & set(names):
            return ""
        return next((key.lower() for key in ("Chief", "Master", "Worker") if key in names), "")
    return ""


def replicated_job(
    name: str, settings: dict[str, Any], pods: dict[str, Any], *, is_trainer: bool = True
) -> dict[str, Any]:
    """A replicatedJob of a runtime."""
    job_template: dict[str, Any] = {"spec": {**settings, "template": pods}}
    if is_trainer:
        job_template = {"metadata": {"labels": {ANCESTOR_LABEL: ANCESTOR_TRAINER}}, **job_template}
    return {"name": name, "template": job_template}


def runtime_spec(
    policy: dict[str, Any],
    jobs: list[dict[str, Any]],
    settings: dict[str, Any],
    annotations: dict[str, str],
    gang: dict[str, Any],
) -> dict[str, Any]:
    """The spec of a runtime."""
    jobset = {"spec": {**settings, "replicatedJobs": jobs}}
    template = {"metadata": {"annotations": annotations}, **jobset} if annotations else jobset
    return {"mlPolicy": policy, **({"podGroupPolicy": gang} if gang else {}), "template": template}
