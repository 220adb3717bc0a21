"""Findings to diagnostics: from what checks looked at to the lines that a person edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kubectl_trainjob.lint.hit import At, Hit, Made
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Diagnostic, Related, Subject
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import identity_of

WrittenBy = Callable[[int, Pointer], Place | None]
"""The line that a value of a TrainJob's object n comes from."""


class _Locator:
    """Finds the places of one TrainJob's findings."""

    def __init__(self, job: LintedJob, written_by: WrittenBy) -> None:
        self._job = job
        self._written_by = written_by

    def place(self, at: At) -> Place:
        """The line that a person edits; the TrainJob's name where nobody wrote the value."""
        if isinstance(at, Place):
            return at
        found = self._written_by(at.nth, at.shown or at.pointer) or self._job.in_train_job("metadata", "name")
        return found.key() if at.on == "key" else found

    def subject(self, at: At) -> Subject | None:
        """What the finding is about, if that is an object that is made."""
        if isinstance(at, Place):
            return None
        identity = identity_of(self._job.objects[at.nth])
        return Subject(str(identity), identity.namespace, at.pointer)


def located(job: LintedJob, hits: Sequence[tuple[Rule, Hit]], written_by: WrittenBy) -> Iterator[Diagnostic]:
    """What checks found in a TrainJob."""
    locator = _Locator(job, written_by)
    for rule, finding in hits:
        yield _diagnostic(rule, finding, locator.place, locator.subject(finding.at))


def of_tree(rule: Rule, findings: Iterable[Hit]) -> Iterator[Diagnostic]:
    """What a check found that looks at inputs, not at what is made of them."""
    for finding in findings:
        yield _diagnostic(rule, finding, _as_it_is, None)


def _as_it_is(at: At) -> Place:
    assert not isinstance(at, Made)
    return at


def _diagnostic(rule: Rule, finding: Hit, place: Callable[[At], Place], subject: Subject | None) -> Diagnostic:
    related = tuple(Related(message, place(at)) for message, at in finding.related)
    at = place(finding.at)
    fix = finding.fix(at) if callable(finding.fix) else finding.fix
    return Diagnostic(rule, finding.message, at, related, subject, fix, finding.severity)
