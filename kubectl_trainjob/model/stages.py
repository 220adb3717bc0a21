"""The values that one stage hands to the next. All are immutable; bodies are plain data and never changed in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place, Source

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class ObjectId:
    """The identity of an object in Kubernetes; `namespace` is "" if the object sets none."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}" if self.name else f"{self.kind} without a name"


class JobId(NamedTuple):
    """A TrainJob of a unit: `overlay` is the directory of the overlay that builds it, "" for none. Two overlays may
    build TrainJobs of one name, for two clusters.
    """

    identity: ObjectId
    overlay: str = ""


def identity_of(body: Body) -> ObjectId:
    """The identity of an object; for a body with a checked type and name."""
    metadata = body.get("metadata") or {}
    return ObjectId(body["apiVersion"], body["kind"], metadata.get("namespace") or "", metadata.get("name") or "")


def is_named(body: Body) -> bool:
    """Whether an object has a name; with only `generateName`, each creation makes another one."""
    metadata = body.get("metadata") or {}
    return bool(metadata.get("name") or not metadata.get("generateName"))


def is_same(old: Any, new: Any) -> bool:
    """Equality of JSON, including the order of keys: `true` is not 1, and 1 is not 1.0.

    False if only the order of keys differs: the caller then compares in detail.
    """
    return old is new or (bool(old == new) and repr(old) == repr(new))


class Sweep(NamedTuple):
    """An item of `sweeps` of an overlay, which selected a training job, and its place."""

    item: Body
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """One object of the user, as written, or after overlays.

    `name_hash` is the setting that adds a hash of the content to its name.
    """

    id: ObjectId
    body: Body
    source: Source
    name_hash: Place | None = None
    sweep: Sweep | None = None

    def place(self, *pointer: str | int) -> Place:
        """A place inside this object."""
        return Place(self.source, pointer)


class Conversion(NamedTuple):
    """The objects with which a front end replaces one object, and what was found.

    `printed` are runtimes among them that are printed even where this tool expands the TrainJobs.
    """

    objects: tuple[Manifest, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    printed: tuple[Source, ...] = ()


class BuildOptions(NamedTuple):
    """`namespace` fills missing ones, "" keeps them empty; "" for the others means the settings of the repositories."""

    namespace: str = ""
    trainer_version: str = ""
    emit: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class AdmittedObject:
    """An object that passed the schema and the webhook. Checks of a TrainJob with its runtime are in `expand`.

    `body` has the defaults of the CRD and no nulls.
    """

    manifest: Manifest
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedJob:
    """A TrainJob and the runtime of its runtimeRef."""

    job: AdmittedObject
    runtime: AdmittedObject


class RequiredSecret(NamedTuple):
    """A Secret with generated content that must exist before the job starts; never printed by a build.

    `kind` is the policy of the job that needs it: "mpi" or "flux".
    """

    namespace: str
    name: str
    purpose: str
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class ObjectHead:
    """One object without its content, for every object that a build generates or copies unchanged.

    `place` is the line that defines it: its own name, or that of its `owner`, the TrainJob that it is generated from.
    `unit` is the directory of the overlay that builds it, "" for none.
    """

    id: ObjectId
    place: Place
    unit: str = ""
    owner: ObjectId | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Object(ObjectHead):
    """One object of a result."""

    body: Body = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class PrintedObject(ObjectHead):
    """The same with its UTF-8 text, from the worker process that generated it."""

    text: bytes = field(kw_only=True)


COUNTS = ("numNodes", "numProcPerNode", "resourcesPerNode")
"""The fields of `spec.trainer` that override counts of the runtime."""


@dataclass(frozen=True, slots=True, eq=False)
class TracedObject:
    """One object of the result; its `draft` has the origin of each value.

    `names` are its names without the renames of overlays. `former` is what Trainer generates without `COUNTS` of the
    TrainJob, None if the TrainJob has none.
    """

    identity: ObjectId
    draft: Draft
    names: tuple[str, ...] = ()
    former: Draft | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TracedJob:
    """A TrainJob and its generated objects, which are empty if it is rejected.

    `resolved` is None if the TrainJob or its runtime is not admitted.
    `overlay` is the directory of the overlay that builds it, "" for none.
    """

    train_job: TracedObject
    resolved: ResolvedJob | None
    objects: tuple[TracedObject, ...] = ()
    secrets: tuple[RequiredSecret, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    overlay: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Tracing:
    """The requested objects: TrainJobs with what a Trainer version generates, and other objects of the inputs."""

    trainer: str
    jobs: tuple[TracedJob, ...] = ()
    others: tuple[TracedObject, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    unread_overlays: tuple[str, ...] = ()


Item = TypeVar("Item")


def pop_each(items: list[Item]) -> Iterator[Item]:
    """The items in order. The list drops each one first, therefore its memory can be freed after use."""
    items.reverse()
    while items:
        yield items.pop()
