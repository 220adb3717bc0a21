"""What an apply does with one object: the values that its stages hand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.decide import PlannedAction
from kubectl_trainjob.cluster.desired_objects import DesiredObject
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import Inventory
from kubectl_trainjob.cluster.marks import Policy
from kubectl_trainjob.cluster.members import Members
from kubectl_trainjob.cluster.parent import Parent
from kubectl_trainjob.cluster.result import Action, ObjectResult
from kubectl_trainjob.compiler.executor import Progress
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import Body, ObjectId

Locate = Callable[[ObjectId, Pointer], Place | None]


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """The flags of `apply`; `reruns` are names of jobs, `adopt_from` the id of a set, `inherited` its inventory.

    `training_set` is the name of that of the loop: messages name its fields, and live objects with annotation
    `reconcile: disabled` are kept as they are.
    """

    policy: Policy = "never"
    reruns: frozenset[str] = frozenset()
    adopt: bool = False
    adopt_from: str = ""
    inherited: Inventory = field(default_factory=dict)
    force_conflicts: bool = False
    prune: bool = False
    prune_running: bool = False
    prune_many: bool = False
    is_dry_run: bool = False
    training_set: str = ""


class Work(NamedTuple):
    """The data that all stages of one apply share. `parent` and `members` are as read before the first write."""

    api: Api
    options: ApplyOptions
    set_id: str
    parent: Parent
    inventory: Inventory
    """That of the parent, and what is inherited of another set."""
    members: Members
    rivals: Mapping[ObjectId, str]
    """The runs that cannot be created because of a run of another kind, and the reason."""
    trainer: str
    locate: Locate
    progress: Progress
    creates_types: bool = False
    """Whether the build has a Namespace, a definition or a runtime, which other objects of it may need."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The plan for one object, and its result as far as it is known.

    `body` is what is sent, `live` what it replaces, `after` a run after the change by our rules. A deferred step has
    its dry run right before its write.
    """

    desired: DesiredObject
    plan: PlannedAction | Literal["wait", "done"]
    result: ObjectResult
    body: Body = field(default_factory=dict)
    live: Body | None = None
    after: Body | None = None
    is_deferred: bool = False

    @property
    def is_write(self) -> bool:
        """Whether the step sends a request."""
        return self.plan in ("create", "apply", "recreate", "wait")

    def ended(self, action: Action, reason: str = "", message: str = "", fields: tuple[str, ...] = ()) -> Step:
        """The step with its final result."""
        result = replace(self.result, action=action, reason=reason, message=message, fields=fields)
        return replace(self, plan="done", result=result)

    def with_uid(self, live: Body) -> Step:
        """The step with the uid of the live object in its result."""
        return replace(self, result=replace(self.result, uid=live["metadata"].get("uid", "")))

    def at(self, place: Place) -> Step:
        """The step with another line."""
        return replace(self, result=replace(self.result, place=place))

    def located(self, work: Work, pointers: Iterable[Pointer]) -> Step:
        """The step with the line of the first value that has one."""
        found = (work.locate(self.desired.id, each) for each in pointers if each)
        place = next(filter(None, found), None)
        return self.at(place) if place else self

    def failed(self, error: ApiError) -> Step:
        """The step after an error that ended it."""
        if error.reason == "Conflict":
            return self.ended("refused", "Conflict", error.message, error.fields)
        return self.ended("failed", error.final_reason, error.message, error.fields)


def first_step(item: DesiredObject) -> Step:
    """The first step of an object, before any request."""
    return Step(item, "done", ObjectResult(item.id, "unchanged", train_job=item.train_job, place=item.place))
