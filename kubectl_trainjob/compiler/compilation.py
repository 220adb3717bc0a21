"""The result of the compiler: one `Compilation` for each build unit and tree, which every command reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar, cast

from kubectl_trainjob.compiler.resolve.runtime import Runtimes
from kubectl_trainjob.compiler.value_places import ValuePlaces
from kubectl_trainjob.compiler.versions import Version
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Manifest, Object, RequiredSecret, ResolvedJob
from kubectl_trainjob.model.units import Settings, SkippedEntry

Findings = tuple[Diagnostic, ...]
_NO_BODY: Mapping[str, Any] = MappingProxyType({})
Note = TypeVar("Note")
Other = TypeVar("Other")


class Target(NamedTuple):
    """The target of a compilation: a release of Trainer, and the kinds that are printed (one of `EMITS`)."""

    trainer: str
    version: Version
    emit: str


class Job(NamedTuple):
    """A TrainJob under its final name, the runtimes that it may refer to, and the overlay that builds it ("": none)."""

    manifest: Manifest
    runtimes: Runtimes
    unit: str = ""

    @property
    def runtime(self) -> Manifest | None:
        """The runtime that it refers to; None if that does not exist."""
        return self.runtimes.meant(self.manifest)

    @property
    def is_ambiguous(self) -> bool:
        """Whether several runtimes have the name that it refers to."""
        return self.runtimes.is_ambiguous(self.manifest)


class Expansion(NamedTuple):
    """Data that exists only while a job is compiled: the admitted inputs, and the lines of values."""

    resolved: ResolvedJob
    place_of: ValuePlaces


@dataclass(frozen=True, slots=True, eq=False)
class CompiledJob(Generic[Note]):
    """One TrainJob and the objects that the controllers create for it, the JobSet first.

    `objects` is empty where the job cannot be built, and where they were not kept. `creation_findings` are problems
    that the API server reports only when it creates Jobs. With `is_shared` base and head have the same job. `note` is
    what the function returned that examined the job while it was compiled; only that function sees an `expansion`.
    """

    source: Manifest
    runtime: Manifest | None
    unit: str
    note: Note
    objects: tuple[Object, ...] = ()
    secrets: tuple[RequiredSecret, ...] = ()
    findings: Findings = ()
    creation_findings: Findings = ()
    expansion: Expansion | None = None
    is_shared: bool = False

    @property
    def is_built(self) -> bool:
        """Whether the controllers would create its objects."""
        return not has_errors(self.findings)

    @property
    def place(self) -> Place:
        """The line that names the job."""
        return self.source.place("metadata", "name")

    def examined(self, note: Other, *, keeps_objects: bool, is_shared: bool) -> CompiledJob[Other]:
        """The job with the note of its examination, and without what only the compiler needs."""
        objects = self.objects if keeps_objects else ()
        head = self.source, self.runtime, self.unit, note
        return CompiledJob(*head, objects, self.secrets, self.findings, self.creation_findings, is_shared=is_shared)

    def without_inputs(self) -> CompiledJob[Note]:
        """The job with its name and place only, which frees the parsed TrainJob."""
        source = Manifest(self.source.id, _NO_BODY, self.source.source, self.source.name_hash)
        rest = self.objects, self.secrets, self.findings, self.creation_findings
        return CompiledJob(source, None, self.unit, self.note, *rest, is_shared=self.is_shared)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How the inputs were read. `unread_overlays` are unread overlays below a directory that was read; `skipped` are
    other unread entries. `read_from` has the real paths of all directories and files that were passed. With `is_empty`
    these have no object.
    """

    ignored: int = 0
    unread_overlays: tuple[str, ...] = ()
    skipped: tuple[SkippedEntry, ...] = ()
    read_from: tuple[str, ...] = ()
    settings: tuple[Settings, ...] = ()
    limits: Limits = LIMITS
    is_empty: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Compilation(Generic[Note]):
    """What one build unit of one tree compiles to.

    `others` are the objects that are copied unchanged, `manifests` all other requested inputs. `findings` concern
    the inputs as a whole; `unread` those that matter only if a runtime is missing.
    """

    target: Target
    jobs: tuple[CompiledJob[Note], ...]
    others: tuple[Object, ...]
    manifests: tuple[Manifest, ...] = ()
    findings: Findings = ()
    unread: Findings = ()
    reading: Reading = Reading()

    def noted(self, note: Callable[[Note], Other]) -> Compilation[Other]:
        """The same compilation, with notes that `note` returns."""
        jobs = (replace(cast("CompiledJob[Any]", job), note=note(job.note)) for job in self.jobs)
        return replace(cast("Compilation[Any]", self), jobs=tuple(jobs))
