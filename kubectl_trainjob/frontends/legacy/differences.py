"""What of a job its TrainJob does not have, or has in another way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.frontends.legacy.commands import mentioned, reads_host_name, texts_of
from kubectl_trainjob.frontends.legacy.mpi import OPERATORS_ENV
from kubectl_trainjob.frontends.legacy.names import label_places
from kubectl_trainjob.frontends.legacy.notes import MigrationNote, ask, note
from kubectl_trainjob.frontends.legacy.operators import MPI, PADDLE, TENSORFLOW, JobRole, LegacyJob, role_key
from kubectl_trainjob.frontends.legacy.shapes import JobShape
from kubectl_trainjob.frontends.legacy.variables import LAUNCH_IP, Layout, variables
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
CARRIED = ("name", "namespace", "labels", "annotations")
_ASKED = ("finalizers", "ownerReferences")
_NOWHERE = Layout(lambda _role, _index: "", "", "")


def differences(job: LegacyJob, shape: JobShape, written: Body) -> Iterator[MigrationNote]:
    """A note for each; `written` is the job as in the file."""
    yield from _metadata(written)
    yield from _roles(job)
    yield from _policies(job)
    for role in job.roles:
        yield from _template(job, role)
        for index, container in enumerate(role.pod["containers"]):
            at = _at(job, role, "spec", "containers", index)
            yield from _container(job, container, at)
            yield from _overwritten(job, role, index, at)
    left = {label for label, _ in label_places([shape.runtime, shape.job])}
    for label, place in label_places(job.manifest.body):
        if label in left:
            yield ask(say('the new Pods do not have the label "{}" of the operator; use another', label), *place)


def _at(job: LegacyJob, role: JobRole, *below: str | int) -> Pointer:
    return ("spec", job.operator.field, role.key, "template", *below)


def _metadata(body: Body) -> Iterator[MigrationNote]:
    """What the old job has and a new one gets from the API server, or must not have."""
    metadata = {key: value for key, value in body["metadata"].items() if key not in CARRIED}
    for key in [key for key in _ASKED if metadata.get(key)]:
        message = say("{} of the old job are not carried over; add them to the TrainJob if it needs them", key)
        yield ask(message, "metadata", key)
    dropped = [f"metadata.{key}" for key in metadata if key not in _ASKED]
    dropped += ["annotation last-applied-configuration"] * (LAST_APPLIED in (body["metadata"].get("annotations") or ()))
    dropped += ["status"] * ("status" in body)
    if dropped:
        yield note(
            say("the API server writes these, and they are dropped: {}", listed(dropped, template="{}")), "metadata"
        )


def _roles(job: LegacyJob) -> Iterator[MigrationNote]:
    """Roles without Pods."""
    for key in job.spec[job.operator.field]:
        known, at = role_key(key, job.operator), ("spec", job.operator.field, key)
        if known not in job.operator.roles:
            yield ask(say('the operator ignores the role "{}", and it is dropped; correct its name', key), *at)
        elif job.role(known) is None:
            yield note(say('the role "{}" has no Pods, and it is dropped', key), *at)


def _template(job: LegacyJob, role: JobRole) -> Iterator[MigrationNote]:
    metadata = role.template.get("metadata") or {}
    for key in [key for key in metadata if key not in ("labels", "annotations")]:
        message = say("metadata.{} of the template is dropped: the Pods get their own", key)
        yield note(message, *_at(job, role, "metadata", key))
    if role.pod.get("ephemeralContainers"):
        message = say("the API server accepts no Pod with ephemeralContainers; remove them")
        yield ask(message, *_at(job, role, "spec", "ephemeralContainers"))
    own = role.pod.get("restartPolicy")
    if own is not None and own != role.restart:
        message = say("restartPolicy {} of the template had no effect: that of the role is used", own)
        yield note(message, *_at(job, role, "spec", "restartPolicy"))


def _container(job: LegacyJob, container: Any, at: Pointer) -> Iterator[MigrationNote]:
    if reads_host_name(container):
        if any(f"{job.name}-" in text for text in texts_of(container)):
            yield ask(
                say("names of Pods are translated to addresses here, and the host name is a shorter one; compare them"),
                *at,
            )
        else:
            yield note(say("this container reads the host name, which the TrainJob changes"), *at)
    for number, entry in enumerate(container.get("env") or ()):
        if value_at(entry, ("valueFrom", "fieldRef", "fieldPath")) == "metadata.name":
            message = say('the name of the Pod in "{}" changes, and each new Pod of a Job has another', entry["name"])
            yield note(message, *at, "env", number)
    if mentioned([LAUNCH_IP], container) and job.operator.kind == PADDLE and job.pods > 1:
        message = say("{} was set on the first Pod only; use PADDLE_MASTER", LAUNCH_IP)
        yield ask(message, *at)


def _overwritten(job: LegacyJob, role: JobRole, index: int, at: Pointer) -> Iterator[MigrationNote]:
    """Variables of the user that the operator overwrites."""
    is_main = index == job.main(role)
    added = {each.name for each in variables(job, role, _NOWHERE) if is_main or each.name != "TF_CONFIG"}
    if job.operator.kind == MPI and is_main:
        added = set(OPERATORS_ENV)
    for number, entry in enumerate(role.pod["containers"][index].get("env") or ()):
        if entry["name"] in added:
            message = say('the operator overwrites the variable "{}", so its value is dropped', entry["name"])
            yield note(message, *at, "env", number)


def _policies(job: LegacyJob) -> Iterator[MigrationNote]:
    """Fields of single kinds."""
    policy = job.spec.get("elasticPolicy")
    at = ("spec", "elasticPolicy")
    if policy is not None and job.operator.kind == PADDLE:
        yield ask(say("elasticPolicy of a PaddleJob has no effect: the operator ignores it, and it is dropped"), *at)
    elif policy is not None and policy.get("metrics"):
        message = say("metrics: the operator scales the job with an HPA, and nothing scales a TrainJob")
        yield ask(message, *at, "metrics")
    elif policy is not None and policy.get("minReplicas") != policy.get("maxReplicas"):
        message = say(
            "elasticPolicy: the job has {} nodes, as the operator creates, and accepts from minReplicas to maxReplicas",
            job.pods,
        )
        yield note(message, *at)
    worker = job.role("Worker")
    is_led = job.role("Chief") or job.role("Master")
    is_first_enough = job.operator.kind == TENSORFLOW and job.spec.get("successPolicy") != "AllWorkers"
    if is_first_enough and not is_led and worker and worker.count > 1:
        message = say("the operator ends the job when worker 0 succeeds, and a TrainJob when all workers do")
        yield note(message, "spec", job.operator.field, worker.key)
    if "mainContainer" in job.spec:
        yield _main_container(job, job.spec["mainContainer"])


def _main_container(job: LegacyJob, name: str) -> MigrationNote:
    """kubectl exec names a container; ssh reaches the one with the server, the first of the workers."""
    worker = job.role("Worker")
    first = worker.pod["containers"][0].get("name") if worker else name
    if name in (first, ""):
        return note(say("mainContainer is dropped: the first container has the SSH server"), "spec", "mainContainer")
    message = say(
        'mainContainer "{}" is not the first container of the workers, which gets the SSH server; move it', name
    )
    return ask(message, "spec", "mainContainer")
