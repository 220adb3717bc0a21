"""What a build prints of a compilation, and all problems of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob, Findings, Target
from kubectl_trainjob.compiler.resolve.objects import collisions
from kubectl_trainjob.kube.admission.spelling import as_stored
from kubectl_trainjob.kube.facts.kinds import print_order
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import CONFLICTING_SETTINGS, FLUX_NAMESPACE_ASSUMED, RUNTIME_NOT_FOUND
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Body, Object, ObjectHead, ObjectId, PrintedObject, RequiredSecret

AnyObject = Object | PrintedObject


class PrintedJob(NamedTuple):
    """The printed objects of one TrainJob, and the names of other objects that its controllers create."""

    objects: tuple[AnyObject, ...]
    reserved: tuple[ObjectHead, ...] = ()


def print_job(job: CompiledJob[Any], target: Target, finish: Callable[[Body], bytes] | None) -> PrintedJob:
    """The generated objects, or the TrainJob itself where Trainer in the cluster expands it."""
    objects, reserved = job.objects, tuple[ObjectHead, ...]()
    if target.emit == "trainjob":
        reserved = tuple(ObjectHead(each.id, each.place, each.unit, each.owner) for each in objects)
        body = as_stored(job.source.body, target.version.admission.schemas) if job.is_built else job.source.body
        objects = (Object(job.source.id, job.place, job.unit, body=body),)
    if finish is None:
        return PrintedJob(objects, reserved)
    return PrintedJob(tuple(_with_text(each, finish) for each in objects), reserved)


def _with_text(each: Object, finish: Callable[[Body], bytes]) -> PrintedObject:
    return PrintedObject(each.id, each.place, each.unit, each.owner, text=finish(each.body))


def printed_objects(compilation: Compilation[PrintedJob]) -> tuple[AnyObject, ...]:
    """All objects in the order in which they are printed."""
    every = [*_distinct(compilation.others), *(each for job in compilation.jobs for each in job.note.objects)]
    return tuple(sorted(every, key=_print_key))


def build_findings(
    compilation: Compilation[PrintedJob], *, is_strict: bool = False, is_set: bool = False, namespace: str = ""
) -> Findings:
    """All problems of a build, each once; with `is_strict` also what the API server rejects when it creates Jobs.

    With `is_set`, or `is_strict`, the objects are one set, in which each is unique. `namespace` is that of all objects,
    "" for any.
    """
    found: list[Diagnostic] = [*compilation.findings, *namespace_conflicts(_heads(compilation), namespace)]
    for job in compilation.jobs:
        found += job_findings(job, compilation.target)
    if is_strict:
        found += creation_findings(compilation)
    if not has_errors(found):
        found += collisions(_heads(compilation), is_set=is_set or is_strict)
    if any(finding.rule == RUNTIME_NOT_FOUND for finding in found):
        found += compilation.unread  # the runtime may be in a document that could not be read
    return tuple(dict.fromkeys(found))  # a runtime's findings come with each of its jobs


def namespace_conflicts(heads: Iterable[ObjectHead], namespace: str) -> Iterator[Diagnostic]:
    """Objects that are in another namespace than all should be in, which kubectl rejects (cli-runtime, visitor.go)."""
    for each in heads:
        if namespace and each.id.namespace not in ("", namespace):
            template = (
                'the namespace from the provided object "{}" does not match the namespace "{}"; change or remove -n'
            )
            message = say(template, each.id.namespace, namespace)
            yield Diagnostic(CONFLICTING_SETTINGS, message, Place(each.place.source, ("metadata", "namespace")))


def job_findings(job: CompiledJob[Any], target: Target) -> Iterator[Diagnostic]:
    """The problems of one job that matter for what is printed."""
    is_skipped = target.emit == "trainjob"
    return (each for each in job.findings if not (is_skipped and each.rule == FLUX_NAMESPACE_ASSUMED))


def creation_findings(compilation: Compilation[Any]) -> Findings:
    """What the API server rejects only when it creates Jobs."""
    return tuple(finding for job in compilation.jobs for finding in job.creation_findings)


def required_secrets(compilation: Compilation[Any]) -> tuple[RequiredSecret, ...]:
    """The Secrets that must exist; Trainer creates them where it expands the TrainJobs."""
    if compilation.target.emit == "trainjob":
        return ()
    return tuple(secret for job in compilation.jobs for secret in job.secrets)


def _heads(compilation: Compilation[PrintedJob]) -> Iterator[ObjectHead]:
    yield from _distinct(compilation.others)
    for job in compilation.jobs:
        yield from (*job.note.reserved, *job.note.objects)


def _distinct(objects: Iterable[Object]) -> Iterator[Object]:
    """Each named object once: two overlays may apply to the same ConfigMap."""
    first: dict[ObjectId, Object] = {}
    for each in objects:
        earlier = first.setdefault(each.id, each)
        if earlier is each or not each.id.name or earlier.body != each.body:
            yield each


def _print_key(head: ObjectHead) -> tuple[Any, ...]:
    identity = head.id
    return print_order(identity.kind), identity.kind, identity.api_version, identity.namespace, identity.name
