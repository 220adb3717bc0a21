"""Findings about updates that a live object rejects, each at the line of the head that changes the value.

The difference already has the verdict of each update; this module makes diagnostics from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.explain.path import show
from kubectl_trainjob.kube.facts.kinds import KindRole, is_job, role_of
from kubectl_trainjob.kube.facts.trainer import OVERRIDES
from kubectl_trainjob.kube.updates.result import RejectedChange, State, possible_states
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.locate import input_diagnostics
from kubectl_trainjob.lint.unit import UnitFinding
from kubectl_trainjob.model.diagnostic import Subject
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import IMMUTABLE_JOBSET_FIELD, IMMUTABLE_RUNTIME_PATCH, IMMUTABLE_TRAINJOB_FIELD, Rule
from kubectl_trainjob.model.source import Place, value_at
from kubectl_trainjob.model.stages import Body, Manifest, ObjectId
from kubectl_trainjob.repository.positions import ResolvePlace
from kubectl_trainjob.review.compare_unit import Comparison
from kubectl_trainjob.review.diff.changes import Change
from kubectl_trainjob.review.diff.contents import Contents
from kubectl_trainjob.review.diff.templates import edited_places


class RejectedValue(NamedTuple):
    """A change that a live object rejects, and the line of the head that the value comes from.

    With `is_accepted_suspended` the value can change while the object is suspended.
    """

    change: RejectedChange
    place: Place
    is_accepted_suspended: bool = False


_MOST_RELATED = 5
_ONLY_SUSPENDED = (
    "{} can change only while the live job is suspended ({}); suspend it first, or give the job a new name"
)
_NEVER = (
    "{} cannot change in a live job, not even while it is suspended ({}); give the job a new name, or delete it first"
)


def update_findings(
    comparison: Comparison, train_jobs: Iterable[Manifest], resolve: ResolvePlace
) -> Iterator[UnitFinding]:
    """The rejected updates of objects that base and head have; `train_jobs` are those of the head."""
    places, jobs = _Places(comparison, resolve), {job.id: job for job in train_jobs}
    for change in comparison.difference.changes:
        if is_job(change.identity) and change.update_result:
            values = list(_rejected_values(change, places))
            owner = (jobs[change.job],) if change.job in jobs else ()
            for rule, of_rule in group((_rule(change.identity, each), each) for each in values).items():
                subject = Subject(str(change.identity), change.identity.namespace, values[0].change.pointer)
                for diagnostic in input_diagnostics(rule, [_hit(change, of_rule)]):
                    yield UnitFinding(replace(diagnostic, subject=subject), owner)


def _rule(identity: ObjectId, value: RejectedValue) -> Rule:
    if role_of(identity) is KindRole.JOB_SET:
        return IMMUTABLE_JOBSET_FIELD
    return IMMUTABLE_TRAINJOB_FIELD if OVERRIDES.isdisjoint(value.change.pointer[:2]) else IMMUTABLE_RUNTIME_PATCH


def _hit(change: Change, values: Sequence[RejectedValue]) -> Hit:
    """One finding for all values of an object, at the first that can never change, else at the first."""
    found = [each for each in values if not each.is_accepted_suspended] or values
    first = min(found, key=lambda each: value_at(change.new, each.change.pointer) is None)  # not at what is removed
    # One line often gives several values: numNodes is parallelism, completions and a variable.
    others = [place for place in dict.fromkeys(each.place for each in found) if place != first.place]
    related = tuple((say("this change is rejected, too"), place) for place in others[:_MOST_RELATED])
    return Hit(_message(change, first, len(found) - 1), first.place, related)


def _message(change: Change, rejected: RejectedValue, others: int) -> Message:
    """Names the field as `diff` does, and not its value, which may be secret."""
    body = change.old if rejected.change.is_gone else change.new
    fields = say('"{}"', show(body or {}, rejected.change.pointer))
    if others:
        fields = say("{} and {} more", fields, others)
    return say(_ONLY_SUSPENDED if rejected.is_accepted_suspended else _NEVER, fields, rejected.change.reason)


def _rejected_values(change: Change, places: _Places) -> Iterator[RejectedValue]:
    """The values of a change that a live object rejects."""
    assert change.old is not None
    assert change.new is not None
    rejections = change.update_result.rejections if change.update_result else ()
    state = _state(change.old, change.new)
    always = {(each.pointer, each.is_gone) for each in rejections if each.state == "suspended"}
    for each in rejections:
        if each.state == state:
            yield RejectedValue(each, places.place(change, each), (each.pointer, each.is_gone) not in always)


def _state(old: Body, new: Body) -> State:
    """The state in which the update is checked: the one that the files give, else running."""
    states = possible_states(old, new)
    if len(states) == 1:
        return states[0]
    return "suspending" if value_at(new, ("spec", "suspend")) is True else "running"


class _Places:
    """Finds the lines of the head that changed a value."""

    def __init__(self, comparison: Comparison, resolve: ResolvePlace) -> None:
        self._written = comparison.written
        self._resolve = resolve
        self._contents = Contents()

    def place(self, change: Change, rejected: RejectedChange) -> Place:
        """The source of the new value; for a removed value that of its nearest parent."""
        pointer = rejected.pointer
        while value_at(change.new, pointer) is None:
            pointer = pointer[:-1]
        values = (value_at(body, pointer) for body in (change.old, change.new))
        before, after = (self._written(side, change.identity, pointer, value) for side, value in enumerate(values))
        _, place = edited_places(before, after, self._resolve, self._contents)
        found = place or self._written(1, change.job or change.identity, ("metadata", "name"), None)
        assert found is not None
        return found
