"""What is wrong with the step from one version of the inputs to the next: updates that live objects refuse.

In: a comparison. Out: diagnostics that stand in the new version. Must not: judge an update; `verdict` has done that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kubectl_trainjob.kube.facts.kinds import is_job
from kubectl_trainjob.kube.updates.verdict import Refusal, State, Verdict, reachable
from kubectl_trainjob.lint.locate import of_tree
from kubectl_trainjob.lint.unit import Found
from kubectl_trainjob.model.diagnostic import Subject
from kubectl_trainjob.model.source import Place, Pointer, value_at
from kubectl_trainjob.model.stages import Body, Manifest
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.review.comparison import Comparison
from kubectl_trainjob.review.diff.changes import Change
from kubectl_trainjob.review.diff.contents import Contents
from kubectl_trainjob.review.diff.template_lines import edited_places
from kubectl_trainjob.review.update_checks import UPDATE_CHECKS, LintedChange, Refused


def changes_found(comparison: Comparison, train_jobs: Iterable[Manifest]) -> Iterator[Found]:
    """What the checks of changes find in the objects that both versions have; `train_jobs` are the new version's."""
    places, jobs = _Places(comparison), {job.id: job for job in train_jobs}
    for change in comparison.difference.changes:
        if is_job(change.identity) and change.verdict:
            view = _view(change, change.verdict, places)
            train_job = jobs.get(change.job) if change.job else None
            for rule, find in UPDATE_CHECKS if view.refused else ():
                for diagnostic in of_tree(rule, find(view)):
                    yield Found(replace(diagnostic, subject=_subject(view)), train_job)


def _subject(view: LintedChange) -> Subject:
    """The object whose update is refused, at the first value that is."""
    return Subject(str(view.identity), view.identity.namespace, view.refused[0].pointer)


def _view(change: Change, verdict: Verdict, places: _Places) -> LintedChange:
    assert change.old is not None
    assert change.new is not None
    state = _met(change.old, change.new)
    always = {(each.pointer, each.is_gone) for each in verdict.refused if each.state == "suspended"}
    refused = (
        Refused(
            each.pointer,
            each.reason,
            places.place(change, each),
            is_accepted_suspended=(each.pointer, each.is_gone) not in always,
            is_gone=each.is_gone,
        )
        for each in verdict.refused
        if each.state == state
    )
    return LintedChange(change.identity, tuple(refused), change.old, change.new)


def _met(old: Body, new: Body) -> State:
    """The state in which the update is judged: what the files say of suspension, else the job runs."""
    states = reachable(old, new)
    if len(states) == 1:
        return states[0]
    is_suspended = value_at(new, ("spec", "suspend")) is True
    return "suspending" if is_suspended else "running"


class _Places:
    """Finds the lines of the new version that changed a value."""

    def __init__(self, comparison: Comparison) -> None:
        self._origins = comparison.origins
        self._settle = Locator().settle
        self._contents = Contents()

    def place(self, change: Change, refusal: Refusal) -> Place:
        """Where the new value comes from; for one that is gone, what it stood in."""
        pointer = refusal.pointer
        while value_at(change.new, pointer) is None:
            pointer = pointer[:-1]
        before, after = (self._written(side, change, pointer) for side in (0, 1))
        _, place = edited_places(before, after, self._settle, self._contents)
        found = place or self._name(change)
        assert found is not None
        return found

    def _written(self, side: int, change: Change, pointer: Pointer) -> Place | None:
        origin = self._origins[side].origin(change.identity, pointer)
        return origin.first_place() if origin else None

    def _name(self, change: Change) -> Place | None:
        origin = self._origins[1].origin(change.job or change.identity, ("metadata", "name"))
        return origin.first_place() if origin else None
