"""Comments and annotations that keep lint from telling something, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from datetime import date

from kubectl_trainjob.lint.annotations import Annotation, annotations_of
from kubectl_trainjob.lint.comments import Comment, Words, comments_of
from kubectl_trainjob.lint.registry import is_build_error
from kubectl_trainjob.lint.selection import hint
from kubectl_trainjob.lint.unit import Found
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import (
    EXPIRED_SUPPRESSION,
    INVALID_SUPPRESSION,
    UNEXPLAINED_SUPPRESSION,
    UNUSED_SUPPRESSION,
    Rule,
    rule_named,
)
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository.positions import Spot


@dataclass(slots=True, eq=False)
class _Suppression:
    """One that can work: it names a rule that may be ignored, and its time is not over."""

    rule: Rule
    at: Comment | Annotation
    place: Place
    is_used: bool = field(default=False)


class _Comments:
    """The comments of a file, by the lines that they are about; those about many lines apart, in a list."""

    _MANY = 200  # lines

    def __init__(self, comments: list[_Suppression]) -> None:
        self._by_line: dict[int, list[_Suppression]] = {}
        self._wide: list[tuple[Comment, _Suppression]] = []
        for each in comments:
            assert isinstance(each.at, Comment)
            if each.at.last - each.at.first > self._MANY:
                self._wide.append((each.at, each))
            else:
                for line in range(each.at.first, each.at.last + 1):
                    self._by_line.setdefault(line, []).append(each)

    def about(self, line: int) -> Iterator[_Suppression]:
        """The comments that are about a line."""
        yield from self._by_line.get(line, ())
        yield from (each for comment, each in self._wide if comment.first <= line <= comment.last)


class Suppressions:
    """The suppressions of one side; `today` decides which of them are over."""

    def __init__(self, today: date) -> None:
        self._today = today
        self._comments: dict[str, _Comments] = {}
        self._annotations: dict[Source, list[_Suppression]] = {}
        self._known: dict[tuple[object, ...], _Suppression] = {}
        self._found: list[Diagnostic] = []

    def add_file(self, file: SourceFile) -> None:
        """Take notice of a file as a person wrote it. The same file may come again, as another overlay read it."""
        if file.path not in self._comments:
            known: list[_Suppression] = []
            for comment in comments_of(file):
                self._add(known, comment, Place(Source(file), span=comment.span))
            self._comments[file.path] = _Comments(known)

    def add_object(self, manifest: Manifest) -> None:
        """Take notice of an object's annotations. An object that several overlays lie over comes for each of them."""
        if manifest.source in self._annotations:
            return
        known = self._annotations[manifest.source] = list[_Suppression]()
        for annotation in annotations_of(manifest.body):
            self._add(known, annotation, manifest.place(*annotation.pointer).key())

    def _add(self, known: list[_Suppression], at: Comment | Annotation, place: Place) -> None:
        rule = rule_named(at.words.rule)
        problem = _problem(at.words, rule)
        if rule is None or problem:
            self._found.append(Diagnostic(INVALID_SUPPRESSION, problem, place))
            return
        if not at.words.reason:
            message = f"it is not said why {rule.id} is ignored; write the reason behind the rule"
            self._found.append(Diagnostic(UNEXPLAINED_SUPPRESSION, message, place))
        if at.words.until and date.fromisoformat(at.words.until) < self._today:
            message = f"{rule.id} was to be ignored until {at.words.until}; mend what it finds, and remove this"
            self._found.append(Diagnostic(EXPIRED_SUPPRESSION, message, place))
            return
        source = place.source
        key = (source.file.path, source.document, source.prefix, place.pointer, place.span)
        known.append(self._known.setdefault(key, _Suppression(rule, at, place)))

    def hides(self, found: Found, spot: Spot) -> bool:
        """Whether one of them is about a finding, which it is used for then. What a build refuses is never hidden."""
        if is_build_error(found.diagnostic.rule):
            return False
        matching = [each for each in self._about(found, spot) if each.rule.id == found.diagnostic.rule.id]
        for each in matching:
            each.is_used = True
        return bool(matching)

    def _about(self, found: Found, spot: Spot) -> Iterator[_Suppression]:
        if spot.file.path in self._comments:
            yield from self._comments[spot.file.path].about(spot.span.line)
        place, job = found.diagnostic.place, found.train_job
        for each in self._annotations.get(place.source, ()):
            if isinstance(each.at, Annotation) and each.at.covers(place.pointer):
                yield each
        if job is not None and job.source != place.source:  # the TrainJob's own word on what is made of it
            for each in self._annotations.get(job.source, ()):
                if isinstance(each.at, Annotation) and each.at.is_whole:
                    yield each

    def problems(self, unasked: Container[str]) -> Iterator[Diagnostic]:
        """What is wrong with the suppressions themselves, when all findings have been asked for.

        Nobody can say whether those of rules that were not asked everywhere, `unasked`, are of use.
        """
        yield from self._found
        for each in self._known.values():
            if not each.is_used and each.rule.id not in unasked:
                message = f"there is nothing for {each.rule.id} {each.rule.name} to tell here; remove this"
                yield Diagnostic(UNUSED_SUPPRESSION, message, each.place)


def _problem(words: Words, rule: Rule | None) -> str:
    """Why a suppression cannot work; "" where it can."""
    if not words.rule:
        return "no rule is named; write ignore[KTJ301] and the reason"
    if "," in words.rule:
        return "several rules are named; write a comment line for each above"
    if rule is None:
        return f'there is no rule "{words.rule}"{hint(words.rule)}'
    if is_build_error(rule):
        return f"{rule.id} {rule.name} is what a build refuses, and cannot be ignored; mend it"
    if words.until and not _is_date(words.until):
        return f'until "{words.until}" is no date; write one such as until=2027-01-31'
    return ""


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
