"""The checks of `doctor` in order. Each looks into the facts, and yields what it found, with what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kubectl_trainjob.cluster.doctor.delivery import check_delivery
from kubectl_trainjob.cluster.doctor.facts import GANGS, JOB_SET, LEGACY, TRAIN_JOB, ClusterFacts, Requirements
from kubectl_trainjob.cluster.doctor.values import DoctorCheck, DoctorReport, Level
from kubectl_trainjob.cluster.doctor.versions import check_controllers, check_definitions, check_kubernetes
from kubectl_trainjob.cluster.doctor.webhooks import check_probes, check_webhooks
from kubectl_trainjob.cluster.runs import conditions
from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.model.source import value_at

Check = Callable[[ClusterFacts, Requirements], Iterator[DoctorCheck]]

_GANG_NAMES = dict(zip(GANGS, ("scheduler-plugins (coscheduling)", "Volcano"), strict=True))
_MOST = 5  # names in a message


def examine(facts: ClusterFacts, wanted: Requirements) -> DoctorReport:
    """All checks, and which emits fit."""
    return DoctorReport(tuple(found for check in CHECKS for found in check(facts, wanted)), tuple(fitting(facts)))


def fitting(facts: ClusterFacts) -> Iterator[str]:
    """What a build may print for this cluster: two controllers must not create the same JobSets."""
    if JOB_SET in facts.kinds and not facts.has_trainer:
        yield "jobset"
    if TRAIN_JOB in facts.kinds and facts.has_trainer:
        yield "trainjob"


def check_files(_facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """Errors of the files."""
    if wanted.errors:
        yield DoctorCheck(
            "files", "error", f"the files have {wanted.errors} errors", "see: kubectl trainjob build --strict"
        )


def check_kinds(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """Kinds that the files need and the cluster does not serve."""
    needed = {(each.api_version, each.kind) for each, _ in wanted.objects}
    for version, kind in sorted(needed - facts.kinds - {JOB_SET, TRAIN_JOB}):
        message = f"the files have objects of kind {kind}, and the cluster does not serve {version}"
        yield DoctorCheck("kinds", "error", message, f"install the definition of {kind}, or remove these objects")


def check_namespace(facts: ClusterFacts, _wanted: Requirements) -> Iterator[DoctorCheck]:
    """A namespace that does not exist; nothing is said if the user may not read it."""
    if facts.lacks_namespace:
        message, advice = f'namespace "{facts.namespace}" does not exist', "create it, or use another -n"
        yield DoctorCheck("namespace", "error", message, advice)


def check_emit(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """Whether Trainer, or we, create the JobSets; never both."""
    if facts.has_trainer:
        advice = "use --emit trainjob, or set emit: trainjob in trainjob.yaml"
        if wanted.emit == "trainjob":
            yield DoctorCheck("emit", "ok", "Trainer runs and creates the JobSets of TrainJobs")
        elif wanted.emit:
            yield DoctorCheck("emit", "error", "Trainer runs in this cluster, and also creates the JobSets", advice)
        else:
            yield DoctorCheck(
                "emit", "warning", "Trainer runs in this cluster: do not apply JobSets for TrainJobs", advice
            )
    elif wanted.emit == "trainjob":
        yield DoctorCheck(
            "emit",
            "error",
            "Trainer does not run, and nothing creates the JobSets of TrainJobs",
            "start Trainer, or use emit: jobset",
        )
    elif facts.is_leased is None:
        message = "it is not known whether Trainer runs: you may not read its Lease"
        yield DoctorCheck("emit", "note", message, "allow get on Lease kubeflow-system/trainer.kubeflow.org")
    else:
        yield DoctorCheck("emit", "ok", "Trainer does not run: apply creates the JobSets")


def check_other_controllers(facts: ClusterFacts, _wanted: Requirements) -> Iterator[DoctorCheck]:
    """Older operators."""
    if LEGACY in facts.kinds:
        message = "training-operator v1 is installed (PyTorchJob): its jobs are not shown, applied or counted"
        yield DoctorCheck("training-operator", "warning", message, "migrate its jobs, then remove it")


def check_rights(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """What the user may not do. An error is only what an apply to this cluster needs, which never watches."""
    applies_train_jobs = facts.has_trainer or wanted.emit == "trainjob"
    for right, verbs in facts.missing.items():
        user = "status and logs need"
        level: Level = "warning"
        if right.group == group_of(TRAIN_JOB[0]) and not applies_train_jobs:
            user = "status and apply --emit trainjob need"
        elif right.applies and verbs != ("watch",):
            user, level = "apply needs", "error"
        what = f"you may not {', '.join(verbs)} {right} in {facts.namespace}"
        advice = f"{user} this right: ask an administrator for a Role with these verbs"
        yield DoctorCheck("permissions", level, what, advice)
    if not facts.missing:
        yield DoctorCheck("permissions", "ok", f"you have all rights in {facts.namespace}")


def check_gang(facts: ClusterFacts, _wanted: Requirements) -> Iterator[DoctorCheck]:
    """Which gang schedulers have their definition."""
    found = [name for kind, name in _GANG_NAMES.items() if kind in facts.kinds]
    text = f"PodGroups are served: {', '.join(found)}" if found else "the cluster has no PodGroups: no gang scheduling"
    yield DoctorCheck("gang", "ok" if found else "note", text)


def check_kueue(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """Kueue, and the queues that the files name."""
    labelled = [each for each, body in wanted.objects if value_at(body, ("metadata", "labels", KUEUE_QUEUE_LABEL))]
    if not facts.kueue:
        if labelled:
            message = f"{len(labelled)} jobs name a queue, and Kueue is not installed: they start at once"
            yield DoctorCheck("kueue", "warning", message, "install Kueue, or remove the label")
        return
    yield DoctorCheck("kueue", "ok", f"Kueue is installed ({facts.kueue})")
    for (namespace, name), queue in facts.queues.items():
        if queue is None:
            message = f"LocalQueue {namespace}/{name} does not exist; its jobs never start"
            yield DoctorCheck("kueue", "error", message, "create the queue, or correct the label")
        else:
            yield from _inactive(f"{namespace}/{name}", queue)


def _inactive(name: str, queue: Any) -> Iterator[DoctorCheck]:
    for each in conditions(queue):
        if (each.get("type"), each.get("status")) == ("Active", "False"):
            message = f"LocalQueue {name} is not active: {each.get('message', '')}"
            yield DoctorCheck("kueue", "warning", message, "see: kubectl describe localqueue")


def check_runtimes(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """Runtimes of the files, or of the catalogue, that the cluster has with another content."""
    live = facts.runtimes
    differing = [
        str(each) for each, body in wanted.runtimes if each in live and not is_part(body["spec"], live[each]["spec"])
    ]
    if differing:
        names = ", ".join(differing[:_MOST]) + (f" and {len(differing) - _MOST} more" if len(differing) > _MOST else "")
        whose, advice = "the files", "compare them: kubectl trainjob diff --live --emit trainjob"
        if not wanted.emit:
            whose, advice = f"the catalogue for Trainer {wanted.trainer}", "pass the files that you apply as PATH"
        message = f"runtimes in the cluster differ from those of {whose}: {names}"
        yield DoctorCheck("runtimes", "warning", message, advice)
    elif live:
        yield DoctorCheck("runtimes", "ok", f"{len(live)} runtimes are the same in the cluster")


def check_gitops(facts: ClusterFacts, _wanted: Requirements) -> Iterator[DoctorCheck]:
    """Argo CD and Flux."""
    return check_delivery(facts.delivery)


def is_part(ours: Any, live: Any) -> bool:
    """Whether a live value has everything of ours; it may have defaults, too."""
    if isinstance(ours, dict):
        return isinstance(live, dict) and all(key in live and is_part(value, live[key]) for key, value in ours.items())
    if isinstance(ours, list):
        return isinstance(live, list) and len(ours) == len(live) and all(map(is_part, ours, live))
    return bool(ours == live) or str(ours) == str(live)


CHECKS: tuple[Check, ...] = (
    check_files,
    check_kubernetes,
    check_definitions,
    check_controllers,
    check_kinds,
    check_namespace,
    check_webhooks,
    check_probes,
    check_emit,
    check_other_controllers,
    check_rights,
    check_gang,
    check_kueue,
    check_runtimes,
    check_gitops,
)
