"""The result of an apply, object by object."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.kube.facts.kinds import CONFIGURATION_GROUP
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import ObjectId

Action = Literal["created", "configured", "unchanged", "pruned", "recreated", "kept", "refused", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class ObjectResult:
    """What happened to one object; `fields` are frozen or conflicting paths. `place` is its line, if a file has it."""

    id: ObjectId
    action: Action
    reason: str = ""
    message: str = ""
    fields: tuple[str, ...] = ()
    uid: str = ""
    train_job: str = ""
    place: Place | None = None
    beside_kept: bool = False

    @property
    def is_fine(self) -> bool:
        """Whether the object matches the files, or a rule kept it."""
        return self.beside_kept or self.action not in ("refused", "skipped", "failed")


class SetName(NamedTuple):
    """A set: the object that is its parent, and its id."""

    kind: str
    namespace: str
    name: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind.lower()}/{self.name}"

    @property
    def parent(self) -> ObjectId:
        """The parent."""
        version = "v1" if self.kind == "ConfigMap" else f"{CONFIGURATION_GROUP}/v1alpha1"
        return ObjectId(version, self.kind, self.namespace, self.name)


def set_named(kind: str, namespace: str, name: str) -> SetName:
    """The set of a ConfigMap or a TrainingSet."""
    group = "" if kind == "ConfigMap" else CONFIGURATION_GROUP
    return SetName(kind, namespace, name, marks.applyset_id(name, namespace, kind, group))


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """All objects in the order of work, and the number of requests."""

    set: SetName
    is_dry_run: bool
    objects: tuple[ObjectResult, ...]
    read: int
    dry_run: int
    write: int

    @property
    def summary(self) -> dict[str, int]:
        """How many objects have each action that occurs."""
        return dict(Counter(each.action for each in self.objects))

    @property
    def is_fine(self) -> bool:
        """Whether all objects are."""
        return all(each.is_fine for each in self.objects)
