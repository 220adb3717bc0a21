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
    """What Kubernetes tells objects apart by; `namespace` is "" where the object states none."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class JobId(NamedTuple):
    """A TrainJob of a unit: `overlay` is the directory of the overlay that builds it, "" for none. Two overlays may
    build TrainJobs of one name, for two clusters.
    """

    identity: ObjectId
    overlay: str = ""


def identity_of(body: Body) -> ObjectId:
    """What tells the object apart; for a body whose type and name were checked."""
    metadata = body.get("metadata") or {}
    return ObjectId(body["apiVersion"], body["kind"], metadata.get("namespace") or "", metadata.get("name") or "")


def is_same(old: Any, new: Any) -> bool:
    """Equality as JSON has it, up to the order of keys: `true` is not 1, and 1 is not 1.0.

    False where the order of keys differs and nothing else: who asks looks closer then.
    """
    return old is new or (bool(old == new) and repr(old) == repr(new))


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """One object of the user's, as written, or as overlays made it.

    `name_hash` is the setting that wants a hash of the content in its name.
    """

    id: ObjectId
    body: Body
    source: Source
    name_hash: Place | None = None

    def place(self, *pointer: str | int) -> Place:
        """A place inside this object."""
        return Place(self.source, pointer)


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """`namespace` fills missing ones, "" leaves them out; "" for the others means what the repositories state.

    With `is_strict` what the API server will refuse later is an error now.
    """

    namespace: str = ""
    trainer_version: str = ""
    emit: str = ""
    is_strict: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Admitted:
    """An object that passed schema and webhook: for a TrainJob what the webhook says of the job alone, the rest is in
    `expand`. `body` carries the CRD's defaults and no nulls.
    """

    manifest: Manifest
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """A TrainJob and the runtime that its runtimeRef means."""

    job: Admitted
    runtime: Admitted


@dataclass(frozen=True, slots=True)
class RequiredSecret:
    """A Secret with generated content that must exist before the job starts; never printed by a build."""

    namespace: str
    name: str
    purpose: str


@dataclass(frozen=True, slots=True, eq=False)
class ObjectHead:
    """One object without its content: what is known of every object that a build generates or copies unchanged.

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
    """The same with its UTF-8 text, written by the worker process that generated it."""

    text: bytes = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """One object of the result, whose `draft` knows who wrote each value.

    `names` are those that it would have if overlays had not renamed what it is made of.
    """

    identity: ObjectId
    draft: Draft
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TracedJob:
    """A TrainJob, and what the controllers make of it; nothing where it is refused.

    `resolved` is None where the TrainJob or its runtime is not admitted.
    """

    train_job: Traced
    resolved: Resolved | None
    objects: tuple[Traced, ...] = ()
    secrets: tuple[RequiredSecret, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Tracing:
    """What was wanted: TrainJobs with what the Trainer of a version makes of them, and other objects of the inputs."""

    trainer: str
    jobs: tuple[TracedJob, ...] = ()
    others: tuple[Traced, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    left_out: tuple[str, ...] = ()


Item = TypeVar("Item")


def pop_each(items: list[Item]) -> Iterator[Item]:
    """The items in order, each forgotten by the list when it is handed out: so what is done with can be freed."""
    items.reverse()
    while items:
        yield items.pop()
