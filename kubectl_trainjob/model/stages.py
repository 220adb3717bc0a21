"""The values that one stage hands to the next. All are immutable; bodies are plain data and never changed in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import Place, Pointer, Source

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


def identity_of(body: Body) -> ObjectId:
    """What tells the object apart; for a body whose type and name were checked."""
    metadata = body.get("metadata") or {}
    return ObjectId(body["apiVersion"], body["kind"], metadata.get("namespace") or "", metadata.get("name") or "")


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
class Expanded:
    """What the controllers make of one TrainJob, the JobSet first.

    `late` is what is wrong although it is made: the API server will refuse the JobSet's Jobs. `resolved` is None where
    the TrainJob or its runtime is refused. `written_by` finds the line that a value of object n comes from.
    """

    objects: tuple[Body, ...] = ()
    secrets: tuple[RequiredSecret, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    late: tuple[Diagnostic, ...] = ()
    resolved: Resolved | None = None
    written_by: Callable[[int, Pointer], Place | None] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """One object of the result; `content` is its body, or its text where the process that made it wrote it, too.

    An object that is only claimed has an empty body.
    """

    identity: ObjectId
    content: Body | bytes


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """An output and where it comes from: itself, or the TrainJob that it `is_made` from, here or by the controllers."""

    output: Output
    place: Place
    is_made: bool = False
    is_printed: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """The result of the pipeline: outputs in the order in which they are printed.

    `late` is what is wrong with the outputs: the API server will refuse Jobs of theirs.
    """

    outputs: tuple[Output, ...] = ()
    secrets: tuple[RequiredSecret, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    late: tuple[Diagnostic, ...] = ()
    ignored: int = 0
    left_out: tuple[str, ...] = ()
    passed_by: tuple[str, ...] = ()
    read_from: tuple[str, ...] = ()
    limits: Limits = LIMITS

    @property
    def objects(self) -> tuple[Any, ...]:
        """The outputs' contents."""
        return tuple(output.content for output in self.outputs)


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


def drain(items: list[Item]) -> Iterator[Item]:
    """The items in order, each forgotten by the list when it is handed out: so what is done with can be freed."""
    items.reverse()
    while items:
        yield items.pop()
