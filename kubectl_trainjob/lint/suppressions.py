"""Comments and annotations that suppress findings, and the errors in them."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import date

from kubectl_trainjob.lint.comments import Annotation, Comment, Words, comments_of, suppressing_annotations
from kubectl_trainjob.lint.registry import is_build_error
from kubectl_trainjob.lint.selection import unknown_rule
from kubectl_trainjob.lint.unit import LintedUnit, UnitFinding
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import Rule, rule_named
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Documents, Unit
from kubectl_trainjob.repository.positions import Location

_MANY = 200  # lines
_NO_REASON = "no reason is given for ignoring {}; write the reason after the rule"
_EXPIRED = "the suppression of {} expired on {}; fix the findings of the rule, and remove this"
_UNUSED = "{} {} has no finding to suppress here; remove this"
_BUILD_ERROR = "{} {} is a build error, which cannot be ignored; fix it"


@dataclass(slots=True, eq=False)
class _Suppression:
    """A valid suppression: it has a rule that may be ignored, and is not expired."""

    rule: Rule
    at: Comment | Annotation
    place: Place
    is_used: bool = False


class _Comments:
    """The comments of a file, by the lines that they are about; those about many lines are in a separate list."""

    def __init__(self, comments: list[_Suppression]) -> None:
        self._by_line: dict[int, list[_Suppression]] = {}
        self._wide: list[tuple[Comment, _Suppression]] = []
        for each in comments:
            assert isinstance(each.at, Comment)
            if each.at.last - each.at.first > _MANY:
                self._wide.append((each.at, each))
            else:
                for line in range(each.at.first, each.at.last + 1):
                    self._by_line.setdefault(line, []).append(each)

    def about(self, line: int) -> Iterator[_Suppression]:
        """The comments that are about a line."""
        yield from self._by_line.get(line, ())
        yield from (each for comment, each in self._wide if comment.first <= line <= comment.last)


class Suppressions:
    """The suppressions of one tree; `today` decides which of them are expired."""

    def __init__(self, today: date) -> None:
        self._today = today
        self._comments: dict[str, _Comments] = {}
        self._annotations: dict[Source, list[_Suppression]] = {}
        self._known: dict[tuple[object, ...], _Suppression] = {}
        self._errors: list[Diagnostic] = []

    def add_unit(self, unit: LintedUnit) -> None:
        """Add the annotations and comments of a unit. Several units may have the same objects and files."""
        for manifest in unit.objects.values():
            if manifest.source not in self._annotations:
                self._annotations[manifest.source] = list(self._in_annotations(manifest))
        for file_of_unit in _files(unit.documents):
            file = _as_written(file_of_unit)
            if file.path not in self._comments:
                self._comments[file.path] = _Comments(list(self._in_comments(file)))

    def _in_annotations(self, manifest: Manifest) -> Iterator[_Suppression]:
        for annotation in suppressing_annotations(manifest.body):
            yield from self._valid(annotation, manifest.place(*annotation.pointer).key())

    def _in_comments(self, file: SourceFile) -> Iterator[_Suppression]:
        for comment in comments_of(file):
            yield from self._valid(comment, Place(Source(file), span=comment.span))

    def _valid(self, at: Comment | Annotation, place: Place) -> Iterator[_Suppression]:
        """The suppression, if it can have an effect; its errors are noted."""
        words, rule = at.words, rule_named(at.words.rule)
        error = _error(words, rule)
        if rule is None or error:
            self._errors.append(Diagnostic(rules.INVALID_SUPPRESSION, error, place))
            return
        if not words.reason:
            self._errors.append(Diagnostic(rules.UNEXPLAINED_SUPPRESSION, say(_NO_REASON, rule.id), place))
        if words.until and date.fromisoformat(words.until) < self._today:
            self._errors.append(Diagnostic(rules.EXPIRED_SUPPRESSION, say(_EXPIRED, rule.id, words.until), place))
            return
        source = place.source
        key = (source.file.path, source.document, source.prefix, place.pointer, place.span)
        yield self._known.setdefault(key, _Suppression(rule, at, place))

    def hides(self, found: UnitFinding, location: Location) -> bool:
        """Whether a suppression applies to a finding, which marks it as used. Build errors cannot be suppressed."""
        rule = found.diagnostic.rule
        if is_build_error(rule):
            return False
        matching = [each for each in self._about(found, location) if each.rule.id == rule.id]
        for each in matching:
            each.is_used = True
        return bool(matching)

    def _about(self, found: UnitFinding, location: Location) -> Iterator[_Suppression]:
        if location.file.path in self._comments:
            yield from self._comments[location.file.path].about(location.span.line)
        place = found.diagnostic.place
        for each in self._annotations.get(place.source, ()):
            if isinstance(each.at, Annotation) and each.at.covers(place.pointer):
                yield each
        for job in found.train_jobs[:1]:  # a TrainJob's annotation is about its generated objects, too
            for each in self._annotations.get(job.source, ()) if job.source != place.source else ():
                if isinstance(each.at, Annotation) and each.at.is_whole:
                    yield each

    def problems(self, partly_checked: Container[str]) -> Iterator[Diagnostic]:
        """The errors in the suppressions, after all findings. An unused one may be needed if its rule is
        `partly_checked`.
        """
        yield from self._errors
        for each in self._known.values():
            if not each.is_used and each.rule.id not in partly_checked:
                yield Diagnostic(rules.UNUSED_SUPPRESSION, say(_UNUSED, each.rule.id, each.rule.name), each.place)


def _error(words: Words, rule: Rule | None) -> Message:
    """Why a suppression cannot have an effect; "" if it can."""
    if not words.rule:
        return say("the comment has no rule; write ignore[KTJ301] and the reason")
    if "," in words.rule:
        return say("the comment has several rules; write one comment line per rule above this line")
    if rule is None:
        return unknown_rule(words.rule)
    if is_build_error(rule):
        return say(_BUILD_ERROR, rule.id, rule.name)
    if words.until and not _is_date(words.until):
        return say('"{}" is not a date; write a date such as until=2027-01-31', words.until)
    return Message()


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _files(documents: Documents) -> Iterator[SourceFile]:
    yield from (manifest.source.file for manifest in (*documents.inputs, *documents.library))
    for unit in documents.units:
        yield from _unit_files(unit)


def _unit_files(unit: Unit) -> Iterator[SourceFile]:
    yield unit.overlay.source.file
    yield from (patch.source.file for patch in unit.overlay.patches)
    for resource in unit.resources:
        if isinstance(resource, Unit):
            yield from _unit_files(resource)
        else:
            yield resource.source.file


def _as_written(file: SourceFile) -> SourceFile:
    while file.written is not None:
        file = file.written.file
    return file
