"""The values of a difference. All are immutable; bodies are plain data and never changed in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.updates.result import STATES, State, UpdateResult, possible_states
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.source import ABSENT, Place, Pointer
from kubectl_trainjob.model.stages import Body, JobId, Manifest, ObjectId

_NO_WORDS = Message()


class FieldChange(NamedTuple):
    """One value that differs: the smallest one, or a whole mapping or list that only one tree has.

    The pointers are those in the old and the new object; they differ if a list's items moved. Without a value, the
    pointer is the one that it would have, or None if its parent does not exist. If only the order of a list differs,
    both are those of the list, and old and new are `fields.Order`s.
    """

    old_pointer: Pointer | None
    new_pointer: Pointer | None
    old: Any
    new: Any

    @property
    def pointer(self) -> Pointer:
        """The pointer for users: in the new object, in the old one if the value is removed."""
        pointer = self.old_pointer if self.new is ABSENT else self.new_pointer
        assert pointer is not None
        return pointer


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One object that differs.

    `job` is the TrainJob (that of the head, if it exists) that the object is, or is generated from. `counterpart`
    is the object of the other tree that this one most probably is, under another name: an added object then has the
    `fields` that differ from it. `update_result` is None for added and removed objects and for kinds without rules.
    `generated_result` is that of the JobSet of a changed TrainJob, None if that does not change. `consequence`
    describes the effect in a cluster. `overlay` is the directory of the overlay that built the object, "" for none. If
    the object `is_secret`, or was so before a patch changed its kind, no value may be shown.
    """

    identity: ObjectId
    change: Literal["added", "removed", "changed"]
    old: Body | None
    new: Body | None
    fields: tuple[FieldChange, ...] = ()
    update_result: UpdateResult | None = None
    consequence: Message = _NO_WORDS
    job: ObjectId | None = None
    counterpart: ObjectId | None = None
    overlay: str = ""
    is_secret: bool = False
    generated_result: UpdateResult | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """What TrainJobs request together.

    `resources` are the effective requests of all Pods (limits without requests count), by resource name; `totals.gpus`
    finds the GPUs. `processes` is the sum of the known world sizes. `unsized` counts TrainJobs whose world size is
    unknown before they start.
    """

    jobs: int = 0
    pods: int = 0
    processes: int = 0
    resources: Mapping[str, Quantity] | None = None
    unsized: int = 0


class Sizes(NamedTuple):
    """What one TrainJob requests in base and head; None if a tree does not have it, or cannot build it."""

    before: Totals | None
    after: Totals | None


class Group(NamedTuple):
    """Where TrainJobs queue: `queue` is that of Kueue or Volcano, "" for none."""

    namespace: str
    queue: str


_NO_QUEUE = Group("", "")


@dataclass(frozen=True, slots=True, eq=False)
class ComparedJob:
    """What one TrainJob of a tree compiles to: `runtime` is the one it refers to, None if it was not found.

    `objects` are the JobSet, PodGroup and ConfigMaps; none if the TrainJob cannot be built. `totals` and `group` are
    what it requests, and where it queues.
    """

    manifest: Manifest
    runtime: Manifest | None
    objects: tuple[Body, ...] = ()
    totals: Totals = Totals()
    group: Group = _NO_QUEUE


@dataclass(frozen=True, slots=True, eq=False)
class Cause:
    """A changed part of the inputs, and the TrainJobs that it changes, by their new names.

    `what` is an object's kind and name, "patch", "template", "overlay", or a setting of an overlay: `images[0].newTag`.
    `place` is in the head, or in the base if it `is_gone`. `is_own`: it is the document of these TrainJobs; `merged`
    lists it only if there are several, as with two overlays.
    """

    what: str
    place: Place
    jobs: tuple[JobId, ...]
    is_gone: bool = False
    is_own: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """`added`, `removed` and `changed` are TrainJobs; a job is changed if any of its generated objects is. `renamed`
    are the old and new names of jobs that are two to the cluster; they are removed and added, too.

    `before` and `after` count all TrainJobs of a tree, `groups` does so by queue. `sizes` has each TrainJob that
    differs, or that one tree does not know fully. It has the new name, or the old one of a job that was removed.
    """

    added: tuple[JobId, ...]
    removed: tuple[JobId, ...]
    changed: tuple[JobId, ...]
    renamed: tuple[tuple[JobId, JobId], ...]
    before: Totals
    after: Totals
    groups: Mapping[Group, tuple[Totals, Totals]]
    causes: tuple[Cause, ...]
    sizes: Mapping[JobId, Sizes]


class Incomplete(NamedTuple):
    """A unit that the base or the head cannot read fully: its missing objects are not reported as removed or added."""

    overlay: str
    is_old: bool
    is_new: bool


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """All that differs, in the order of a build.

    `unbuilt` are the TrainJobs that a tree cannot build, by their new names: neither the changes nor the numbers
    contain them. `broken` are those that only the head cannot build. `moved` are the old and the new directory of
    overlays that build the same objects.
    """

    changes: tuple[Change, ...]
    summary: Summary
    unbuilt: tuple[JobId, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    broken: tuple[JobId, ...] = ()


def rejected_in(change: Change) -> tuple[State, ...]:
    """The possible states in which a cluster rejects the update."""
    if change.update_result is None or change.old is None or change.new is None:
        return ()
    states = possible_states(change.old, change.new) or STATES
    return tuple(state for state in states if not change.update_result.accepts(state))


def is_rejected(change: Change) -> bool:
    """Whether a cluster rejects the update while the job runs, or in each possible state."""
    states = rejected_in(change)
    return "running" in states or (bool(states) and not has_states(change))


def has_states(change: Change) -> bool:
    """Whether the answer of the cluster depends on the state of the job."""
    assert change.old is not None
    assert change.new is not None
    return len(possible_states(change.old, change.new)) > 1
