"""Hits to diagnostics: from what was checked to the lines that users edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from kubectl_trainjob.lint.check import At, GeneratedValue, Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace, Subject
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import ResolvedJob, identity_of

OriginOf = Callable[[int, Pointer], Place | None]
"""The line that a value of a TrainJob's object n comes from."""


def job_diagnostics(job: LintedJob, hits: Iterable[tuple[Rule, Hit]], origin: OriginOf) -> Iterator[Diagnostic]:
    """The hits in one TrainJob."""

    def place(at: At) -> Place:
        """The line to edit; the TrainJob's name for a value that no user wrote."""
        if isinstance(at, Place):
            return at
        found = origin(at.nth, at.pointer) or job.in_train_job("metadata", "name")
        return found.key() if at.on == "key" else found

    for rule, hit in hits:
        yield _diagnostic(rule, hit, place, _subject(job, hit.at) if isinstance(hit.at, GeneratedValue) else None)


def at_reference(found: Diagnostic, resolved: ResolvedJob) -> Diagnostic:
    """A finding in a runtime of the catalogue, which users do not edit, at the TrainJob's reference to it."""
    runtime = resolved.runtime.manifest
    related = tuple(each for each in found.related if each.place.source != runtime.source)
    if found.place.source != runtime.source:
        return replace(found, related=related)
    message = say(
        '{}; the runtime "{}" is in the catalogue: copy it with `kubectl trainjob init runtime {}` and edit the copy',
        found.message,
        runtime.id.name,
        runtime.id.name,
    )
    place = resolved.job.manifest.place("spec", "runtimeRef", "name")
    return replace(found, message=message, place=place, related=related, fix=None)


def input_diagnostics(rule: Rule, hits: Iterable[Hit]) -> Iterator[Diagnostic]:
    """The hits of a check of inputs, which has no generated objects."""
    return (_diagnostic(rule, hit, _input_place, None) for hit in hits)


def _input_place(at: At) -> Place:
    assert isinstance(at, Place)
    return at


def _subject(job: LintedJob, at: GeneratedValue) -> Subject:
    identity = identity_of(job.objects[at.nth])
    return Subject(str(identity), identity.namespace, at.pointer)


def _diagnostic(rule: Rule, hit: Hit, place: Callable[[At], Place], subject: Subject | None) -> Diagnostic:
    related = tuple(RelatedPlace(message, place(at)) for message, at in hit.related)
    at = place(hit.at)
    fix = hit.fix(at) if callable(hit.fix) else hit.fix
    return Diagnostic(rule, hit.message, at, related, subject, fix, hit.severity)
