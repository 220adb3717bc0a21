"""The values that one stage hands to the next. All are immutable; bodies are plain data and never changed in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from kubectl_trainjob.api import trainer
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.source import Place, Source

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


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """One object of the user's, as written."""

    id: ObjectId
    body: Body
    source: Source

    def place(self, *pointer: str | int) -> Place:
        """A place inside this object."""
        return Place(self.source, pointer)


def is_train_job(manifest: Manifest) -> bool:
    """Whether the object is a TrainJob that can be expanded."""
    return manifest.id.api_version == trainer.API_VERSION and manifest.id.kind == trainer.TRAIN_JOB


def is_runtime(manifest: Manifest) -> bool:
    """Whether the object is a runtime that TrainJobs can refer to."""
    return manifest.id.api_version == trainer.API_VERSION and manifest.id.kind in trainer.RUNTIME_KINDS


@dataclass(frozen=True, slots=True)
class Target:
    """A version of Trainer that a repository's configuration names, as "2.3", and where."""

    trainer: str
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """What `repo` read: every object of the inputs, and the runtimes that may be referred to besides them."""

    inputs: tuple[Manifest, ...]
    library: tuple[Manifest, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    library_diagnostics: tuple[Diagnostic, ...] = ()
    ignored: int = 0
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Admitted:
    """An object that passed the API server's first half: `body` carries the CRD's defaults."""

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
    """What the controllers make of one TrainJob; `job` is where the TrainJob stands."""

    job: Place
    objects: tuple[Body, ...] = ()
    secrets: tuple[RequiredSecret, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """The result of the pipeline: objects in the order in which they are printed."""

    objects: tuple[Body, ...] = ()
    secrets: tuple[RequiredSecret, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    ignored: int = 0


Item = TypeVar("Item")


def drain(items: list[Item]) -> Iterator[Item]:
    """The items in order, each forgotten by the list when it is handed out: so what is done with can be freed."""
    items.reverse()
    while items:
        yield items.pop()
