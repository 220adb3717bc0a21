"""What checks look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.kube.facts.kinds import runtime_ref
from kubectl_trainjob.kube.facts.trainer import (
    CLUSTER_TRAINING_RUNTIME,
    GROUP,
    TRAINING_RUNTIME,
)
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob, replicated_jobs, trainer_of
from kubectl_trainjob.lint.hit import Made
from kubectl_trainjob.model.source import Place, Pointer, SourceFile
from kubectl_trainjob.model.stages import Admitted, Body, Manifest, ObjectId, Resolved
from kubectl_trainjob.model.units import LintSettings


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What is built together: every object of the inputs besides TrainJobs, the TrainJobs, and what the team has said.

    `emit` is "jobset" where JobSets are what is applied, "trainjob" where Trainer makes them. Bodies of kinds other
    than Trainer's are as written: nothing has looked at their types.
    """

    objects: tuple[Manifest, ...] = ()
    train_jobs: tuple[Manifest, ...] = ()
    settings: LintSettings = field(default_factory=LintSettings)
    emit: str = "jobset"
    by_name: Mapping[tuple[str, str, str, str], Manifest] = field(default_factory=dict)

    def find(self, kind: str, namespace: str, name: str, group: str = "") -> Manifest | None:
        """An object of the inputs; a missing namespace is `default`, the group "" that of Kubernetes' core."""
        return self.by_name.get((group, kind, namespace or "default", name))

    def runtime_of(self, job: Manifest) -> Manifest | None:
        """The runtime among the inputs that a TrainJob, as written, refers to."""
        ref = runtime_ref(job)
        kind = ref.get("kind", CLUSTER_TRAINING_RUNTIME)
        namespace = job.id.namespace if kind == TRAINING_RUNTIME else ""
        return self.find(str(kind), namespace, str(ref.get("name")), GROUP)


@dataclass(frozen=True, slots=True, eq=False)
class LintedRuntime:
    """A runtime as admitted: with the schema's defaults, without nulls, every value of its type."""

    runtime: Admitted
    trainer: str
    around: Surroundings

    @property
    def spec(self) -> Mapping[str, Any]:
        """The runtime's `spec`."""
        return _spec(self.runtime)

    @property
    def replicated_jobs(self) -> tuple[ReplicatedJob, ...]:
        """The template's replicatedJobs; their pointers lead into the JobSet, `in_template` finds the place."""
        return replicated_jobs(self.spec.get("template") or {})

    def trainer_job(self) -> ReplicatedJob | None:
        """The replicatedJob that trains."""
        return trainer_of(self.replicated_jobs)

    def policy(self, kind: str) -> Mapping[str, Any] | None:
        """`spec.mlPolicy.KIND`, None where the runtime has none."""
        return (self.spec.get("mlPolicy") or {}).get(kind)

    def containers(self) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """Init containers, then containers, each with its place in the runtime."""
        for job in self.replicated_jobs:
            for pointer, container in job.containers():
                yield ("spec", "template", *pointer), container

    def train_jobs(self) -> Iterator[Manifest]:
        """The TrainJobs that refer to the runtime, as written."""
        own = self.runtime.manifest.id
        for job in self.around.train_jobs:
            runtime = self.around.runtime_of(job)
            if runtime is not None and runtime.id == own:
                yield job

    def place(self, *pointer: str | int) -> Place:
        """A place in the runtime."""
        return self.runtime.manifest.place(*pointer)

    def in_template(self, pointer: Pointer) -> Place:
        """The place in the runtime of what stands at `pointer` of the JobSet."""
        return self.place("spec", "template", *pointer)


@dataclass(frozen=True, slots=True, eq=False)
class LintedJob:
    """An admitted TrainJob, its runtime, and the objects that the controllers make of them, the JobSet first."""

    resolved: Resolved
    objects: tuple[Body, ...]
    trainer: str
    around: Surroundings
    replicated_jobs: tuple[ReplicatedJob, ...]

    @property
    def id(self) -> ObjectId:
        """The TrainJob."""
        return self.resolved.job.manifest.id

    @property
    def spec(self) -> Mapping[str, Any]:
        """The TrainJob's `spec`, with defaults."""
        return _spec(self.resolved.job)

    @property
    def runtime_spec(self) -> Mapping[str, Any]:
        """The runtime's `spec`, with defaults."""
        return _spec(self.resolved.runtime)

    @property
    def jobset(self) -> Body:
        """The JobSet."""
        return self.objects[0]

    def policy(self, kind: str) -> Mapping[str, Any] | None:
        """The runtime's `spec.mlPolicy.KIND`, None where it has none."""
        return (self.runtime_spec.get("mlPolicy") or {}).get(kind)

    def runtime(self) -> LintedRuntime:
        """The runtime as checks of runtimes see it, which tell what is wrong with it by itself."""
        return LintedRuntime(self.resolved.runtime, self.trainer, self.around)

    def trainer_job(self) -> ReplicatedJob | None:
        """The replicatedJob that trains: the one labelled as the step `trainer`."""
        return trainer_of(self.replicated_jobs)

    def in_train_job(self, *pointer: str | int) -> Place:
        """A place in the TrainJob."""
        return self.resolved.job.manifest.place(*pointer)

    def in_runtime(self, *pointer: str | int) -> Place:
        """A place in the runtime."""
        return self.resolved.runtime.manifest.place(*pointer)

    def made(
        self, pointer: Pointer, *, nth: int = 0, on: Literal["key", "value"] = "value", shown: Pointer = ()
    ) -> Made:
        """A place in the JobSet, or in object `nth`; the line shown is that of the value at `shown`, if given."""
        return Made(nth, pointer, on, shown)


class BuiltFile(NamedTuple):
    """A file that an earlier build wrote, as it is now; `file` is None where it is gone.

    `fresh` are the texts that builds of the inputs give for its path now; none where nothing becomes this file.
    """

    path: str
    file: SourceFile | None
    fresh: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LintedOutput:
    """A directory that a build was written to: its files, and the paths that a build gives now and it does not have.

    `index` is the file that says what was built.
    """

    index: SourceFile
    files: tuple[BuiltFile, ...]
    missing: tuple[str, ...]


def linted_job(resolved: Resolved, objects: tuple[Body, ...], trainer: str, around: Surroundings) -> LintedJob:
    """A TrainJob as checks see it."""
    return LintedJob(resolved, objects, trainer, around, replicated_jobs(objects[0]))


def surroundings(
    objects: tuple[Manifest, ...], train_jobs: tuple[Manifest, ...], settings: LintSettings, emit: str
) -> Surroundings:
    """What is built together; of objects with one name the first is found by it."""
    by_name = {_called(each.id): each for each in reversed(objects)}
    return Surroundings(objects, train_jobs, settings, emit, by_name)


def _called(identity: ObjectId) -> tuple[str, str, str, str]:
    """The group stands before the version; the core's has no name."""
    return identity.api_version.rpartition("/")[0], identity.kind, identity.namespace or "default", identity.name


def _spec(admitted: Admitted) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = admitted.body["spec"]
    return spec
