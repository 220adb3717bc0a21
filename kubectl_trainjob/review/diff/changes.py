"""What a comparison says. All are immutable; bodies are plain data and never changed in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.updates.verdict import Verdict
from kubectl_trainjob.model.source import ABSENT, Place, Pointer
from kubectl_trainjob.model.stages import Body, JobId, Manifest, ObjectId


class FieldChange(NamedTuple):
    """One value that differs: the smallest one, or a whole mapping or list that only one side has.

    The pointers lead into the old and the new object; they differ where a list's members moved. Where a side has no
    value, its pointer leads to where the value would stand, or None if its parent is not there either. Where only the
    order of a list's members differs, both lead to the list, and old and new are `fields.Order`s.
    """

    old_pointer: Pointer | None
    new_pointer: Pointer | None
    old: Any
    new: Any

    @property
    def pointer(self) -> Pointer:
        """Where a person would look: in the new object, in the old one if the value is gone."""
        there = self.old_pointer if self.new is ABSENT else self.new_pointer
        assert there is not None
        return there


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """What one TrainJob of a side became: `runtime` is the one it refers to, None where it cannot be found.

    `objects` are the JobSet, PodGroup and ConfigMaps; none where the TrainJob cannot be built.
    """

    manifest: Manifest
    runtime: Manifest | None
    objects: tuple[Body, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One object that is not the same on both sides.

    `job` names the TrainJob (of the new side, if it is there) that the object is, or is made from. `counterpart` is the
    object of another name on the other side that this one most probably is: an added object then has the `fields` that
    differ from it. `verdict` is None for added and removed objects and for kinds without rules, `made` is that on the
    JobSet of a changed TrainJob, None where it stays the same; `consequence` says in words what the change does in a
    cluster. `overlay` is the directory of the overlay that built it, "" for none. Of what `is_secret`, or was before a
    patch changed its kind, no value may be shown.
    """

    identity: ObjectId
    change: Literal["added", "removed", "changed"]
    old: Body | None
    new: Body | None
    fields: tuple[FieldChange, ...] = ()
    verdict: Verdict | None = None
    consequence: str = ""
    job: ObjectId | None = None
    counterpart: ObjectId | None = None
    overlay: str = ""
    is_secret: bool = False
    made: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """What TrainJobs ask for together.

    `resources` are the effective requests of all Pods (limits where only those are stated), by resource name; the GPUs
    among them are those of `gpus`. `processes` is the sum of the world sizes that are numbers, `unsized` counts the
    TrainJobs whose is not known before they start.
    """

    jobs: int = 0
    pods: int = 0
    processes: int = 0
    resources: Mapping[str, Quantity] | None = None
    unsized: int = 0


class Sizes(NamedTuple):
    """What one TrainJob asks for on both sides; None where a side does not have it, or cannot build it."""

    before: Totals | None
    after: Totals | None


class Group(NamedTuple):
    """Where TrainJobs queue: `queue` is Kueue's or Volcano's, "" for none."""

    namespace: str
    queue: str


@dataclass(frozen=True, slots=True, eq=False)
class Cause:
    """A part of the inputs that differs between the sides, and the TrainJobs that it changes, as the new side calls
    them.

    `what` it is: an object's kind and name, "patch", "template", "overlay", or a setting of an overlay such as
    `images[0].newTag` or `values.model`. `place` is on the new side, or on the old one if it `is_gone`. `is_own`: it is
    the document of these TrainJobs; `merged` lists it only if there are several, as below two overlays.
    """

    what: str
    place: Place
    jobs: tuple[JobId, ...]
    is_gone: bool = False
    is_own: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """`added`, `removed` and `changed` are TrainJobs; a job is changed when anything that it becomes is. `renamed` are
    old and new names of one that the cluster takes for two; it is removed and added, too.

    `before` and `after` count all TrainJobs of a side; `groups` the same, where they queue. `sizes` has each TrainJob
    that differs, or of which a side does not know all, by its new name, or by its old one if there is no new one.
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
    """A unit of which one side, or each, cannot be read in full: what is not there is not told as removed or added."""

    overlay: str
    is_old: bool
    is_new: bool


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """All that differs, in the order in which a build prints.

    `unbuilt` are the TrainJobs that a side cannot build, by their new names: they, and what they are on the other side,
    are neither among the changes nor in the numbers. `broken` are those of them that the new side alone cannot build.
    `moved` are the old and the new directory of overlays that build the same objects.
    """

    changes: tuple[Change, ...]
    summary: Summary
    unbuilt: tuple[JobId, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    broken: tuple[JobId, ...] = ()
