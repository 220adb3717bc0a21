"""The checks of updates: values that a live object does not let change, each at its line in the head."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_trainjob.explain.path import show
from kubectl_trainjob.kube.facts.jobset import KIND
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.facts.trainer import OVERRIDES
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.model.rules import IMMUTABLE_JOBSET_FIELD, IMMUTABLE_RUNTIME_PATCH, IMMUTABLE_TRAINJOB_FIELD, Rule
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import Body, ObjectId


class Refused(NamedTuple):
    """A value that a live object does not let change: `pointer` leads into the new object, into the old one if the
    value `is_gone`.

    `reason` is what the API server says, `place` the line of the new inputs that it comes from.
    `is_accepted_suspended`: nothing stands against the change of this value while the object is suspended.
    """

    pointer: Pointer
    reason: str
    place: Place
    is_accepted_suspended: bool = False
    is_gone: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LintedChange:
    """An object that two versions of the inputs make differently, and what its update is refused for.

    `identity` is what is applied: the TrainJob where Trainer runs, else the JobSet. `old` and `new` are its bodies,
    which tell what the members of lists are called.
    """

    identity: ObjectId
    refused: tuple[Refused, ...]
    old: Body = field(default_factory=dict)
    new: Body = field(default_factory=dict)


def _in_train_job(change: LintedChange) -> Iterator[Hit]:
    if role_of(change.identity) is KindRole.TRAINING_JOB:
        yield from _findings(change, lambda each: OVERRIDES.isdisjoint(each.pointer[:2]))


def _in_runtime_patch(change: LintedChange) -> Iterator[Hit]:
    if role_of(change.identity) is KindRole.TRAINING_JOB:
        yield from _findings(change, lambda each: not OVERRIDES.isdisjoint(each.pointer[:2]))


def _in_jobset(change: LintedChange) -> Iterator[Hit]:
    if change.identity.kind == KIND:
        yield from _findings(change)


UPDATE_CHECKS: tuple[tuple[Rule, Callable[[LintedChange], Iterator[Hit]]], ...] = (
    (IMMUTABLE_TRAINJOB_FIELD, _in_train_job),
    (IMMUTABLE_RUNTIME_PATCH, _in_runtime_patch),
    (IMMUTABLE_JOBSET_FIELD, _in_jobset),
)

_MOST_RELATED = 5


def _findings(change: LintedChange, is_meant: Callable[[Refused], bool] = lambda _: True) -> Iterator[Hit]:
    """One finding for all rejected values of an object that are meant, at the first of them. Values that can never
    change come before those that can change while the object is suspended.
    """
    every = [each for each in change.refused if is_meant(each)]
    found = [each for each in every if not each.is_accepted_suspended] or every
    if not found:
        return
    first = found[0]
    # One line often becomes several values: numNodes is parallelism, completions and a variable.
    others = [place for place in dict.fromkeys(each.place for each in found) if place != first.place]
    related = tuple(("this change is refused, too", place) for place in others[:_MOST_RELATED])
    yield Hit(_message(change, first, len(found) - 1), first.place, related)


def _message(change: LintedChange, refused: Refused, others: int) -> str:
    """Names the field as `diff` does, and not its value, which may be secret."""
    path = show(change.old if refused.is_gone else change.new, refused.pointer)
    what = f'"{path}"' + (f" and {others} more" if others else "")
    if refused.is_accepted_suspended:
        return (
            f"{what} can change only while the live job is suspended ({refused.reason}); suspend it first, or give the "
            "job a new name"
        )
    return (
        f"{what} cannot change in a live job, not even while it is suspended ({refused.reason}); give the job a new "
        "name, or delete it first"
    )
