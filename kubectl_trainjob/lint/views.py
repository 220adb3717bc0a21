"""What checks examine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

from kubectl_trainjob.kube.facts.kinds import CLUSTER_SCOPED, group_of, runtime_ref
from kubectl_trainjob.kube.facts.trainer import CLUSTER_TRAINING_RUNTIME, GROUP, KUEUE_QUEUE_LABEL, LAUNCHER, NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob, replicated_jobs, trainer_of
from kubectl_trainjob.lint.check import GeneratedValue
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.source import Place, Pointer, SourceFile, value_at
from kubectl_trainjob.model.stages import AdmittedObject, Body, Manifest, ObjectId, ResolvedJob
from kubectl_trainjob.model.units import LintSettings

Fact = TypeVar("Fact")


@dataclass(frozen=True, eq=False)
class LintContext:
    """What is built together: the TrainJobs of the inputs, every other object, and the settings of the team.

    `emit` is "jobset" where JobSets are applied, "trainjob" where Trainer generates them. Bodies of kinds other than
    Trainer's are as written, with unchecked types.
    """

    objects: tuple[Manifest, ...] = ()
    train_jobs: tuple[Manifest, ...] = ()
    settings: LintSettings = field(default_factory=LintSettings)
    emit: str = "jobset"
    _known: dict[Callable[[LintContext], Any], Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str, str, str], Manifest]:
        """Of objects with one name the first."""
        return {_name_key(each.id): each for each in reversed(self.objects)}

    @cached_property
    def _by_runtime(self) -> Mapping[ObjectId, list[Manifest]]:
        """The TrainJobs, as written, by the runtime among the inputs that they refer to."""
        found: dict[ObjectId, list[Manifest]] = {}
        for job in self.train_jobs:
            if (runtime := self.runtime_of(job)) is not None:
                found.setdefault(runtime.id, []).append(job)
        return found

    @cached_property
    def job_names(self) -> frozenset[str]:
        """The names of the TrainJobs, in any namespace."""
        return frozenset(job.id.name for job in self.train_jobs)

    def once(self, find: Callable[[LintContext], Fact]) -> Fact:
        """What a function finds in the whole context, also if each job requests it."""
        if find not in self._known:
            self._known[find] = find(self)
        known: Fact = self._known[find]
        return known

    @property
    def gitops(self) -> Message | None:
        """The GitOps tool that applies the result, None for none."""
        return {"argocd": say("Argo CD"), "flux": say("Flux")}.get(self.settings.delivery)

    def find(self, kind: str, namespace: str, name: str, group: str = "") -> Manifest | None:
        """An object of the inputs; a missing namespace is `default`, the group "" that of Kubernetes' core."""
        return self._by_name.get((group, kind, namespace or "default", name))

    def runtime_of(self, job: Manifest) -> Manifest | None:
        """The runtime among the inputs that a TrainJob, as written, refers to."""
        ref = runtime_ref(job)
        kind = str(ref.get("kind", CLUSTER_TRAINING_RUNTIME))
        namespace = "" if kind in CLUSTER_SCOPED else job.id.namespace
        return self.find(kind, namespace, str(ref.get("name")), GROUP)

    def jobs_of(self, runtime: ObjectId) -> Sequence[Manifest]:
        """The TrainJobs, as written, that refer to a runtime of the inputs."""
        return self._by_runtime.get(runtime, ())


@dataclass(frozen=True, slots=True, eq=False)
class LintedRuntime:
    """A runtime as admitted: with the schema's defaults, without nulls, with checked types."""

    runtime: AdmittedObject
    trainer: str
    context: LintContext

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

    def mpi_roles(self) -> Iterator[ReplicatedJob]:
        """The replicatedJobs `launcher` and `node` of a runtime with `mlPolicy.mpi`; of other runtimes none.

        Mirrors FindPodSetByName and EnforceMLPolicy in trainer `pkg/runtime/framework/plugins/mpi` (2.0-2.3).
        """
        if self.policy("mpi") is not None:
            yield from (job for job in self.replicated_jobs if job.name in (LAUNCHER, NODE))

    def launcher_and_node(self) -> tuple[ReplicatedJob, ReplicatedJob] | None:
        """Both roles of MPI, None if one of them is missing."""
        found = {each.name: each for each in self.mpi_roles()}
        return (found[LAUNCHER], found[NODE]) if len(found) == 2 else None

    def gang_schedulers(self) -> list[str]:
        """The gang schedulers for which the runtime's policy generates a PodGroup."""
        policy = self.spec.get("podGroupPolicy") or {}
        return [name for name in ("coscheduling", "volcano") if policy.get(name) is not None]

    def is_in_order(self) -> bool:
        """Whether JobSet creates a replicatedJob only when the one before it is ready."""
        order = value_at(self.spec, ("template", "spec", "startupPolicy", "startupPolicyOrder"))
        return bool(order == "InOrder")

    def containers(self) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """Init containers, then containers, each with its place in the runtime."""
        for job in self.replicated_jobs:
            for pointer, container in job.containers():
                yield ("spec", "template", *pointer), container

    def train_jobs(self) -> Sequence[Manifest]:
        """The TrainJobs that refer to the runtime, as written."""
        return self.context.jobs_of(self.runtime.manifest.id)

    def place(self, *pointer: str | int) -> Place:
        """A place in the runtime."""
        return self.runtime.manifest.place(*pointer)

    def in_template(self, pointer: Pointer) -> Place:
        """The place in the runtime of the value at `pointer` of the JobSet."""
        return self.place("spec", "template", *pointer)


@dataclass(frozen=True, eq=False)
class LintedJob:
    """An admitted TrainJob, its runtime, and the objects that the controllers generate, the JobSet first."""

    resolved: ResolvedJob
    objects: tuple[Body, ...]
    trainer: str
    context: LintContext

    @cached_property
    def replicated_jobs(self) -> tuple[ReplicatedJob, ...]:
        """The JobSet's replicatedJobs."""
        return replicated_jobs(self.jobset)

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
        """The runtime as checks of runtimes see it: they report its own errors."""
        return LintedRuntime(self.resolved.runtime, self.trainer, self.context)

    def trainer_job(self) -> ReplicatedJob | None:
        """The replicatedJob that trains: the one labelled as the step `trainer`."""
        return trainer_of(self.replicated_jobs)

    def launcher(self) -> ReplicatedJob | None:
        """The replicatedJob that starts the training: with MPI the launcher, else the one that trains."""
        if self.policy("mpi") is None:
            return self.trainer_job()
        return next((each for each in self.replicated_jobs if each.name == LAUNCHER), None)

    def queue(self) -> tuple[str, Place | GeneratedValue] | None:
        """The name of Kueue's LocalQueue as written, and its location; None where Kueue finds none.

        Mirrors QueueName in kueue `pkg/controller/jobframework`: a label of the object that Kueue manages. That is the
        TrainJob, or the JobSet where no TrainJob is in the cluster.
        """
        label = ("metadata", "labels", KUEUE_QUEUE_LABEL)
        if (name := value_at(self.resolved.job.body, label)) is not None:
            return name, self.in_train_job(*label)
        name = None if self.context.emit == "trainjob" else value_at(self.jobset, label)
        return None if name is None else (name, self.generated(label))

    def in_train_job(self, *pointer: str | int) -> Place:
        """A place in the TrainJob."""
        return self.resolved.job.manifest.place(*pointer)

    def in_runtime(self, *pointer: str | int) -> Place:
        """A place in the runtime."""
        return self.resolved.runtime.manifest.place(*pointer)

    def generated(self, pointer: Pointer, *, nth: int = 0, on: Literal["key", "value"] = "value") -> GeneratedValue:
        """A value of the JobSet, or of object `nth`."""
        return GeneratedValue(nth, pointer, on)


class BuiltFile(NamedTuple):
    """A file that an earlier build wrote, as it is now; `file` is None if it was deleted.

    `fresh` are the texts that builds of the inputs give for its path now; none if no source generates this file.
    """

    path: str
    file: SourceFile | None
    fresh: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LintedOutput:
    """A directory with the output of a build: its files, and the paths that a build gives now and it does not have.

    `index` is the file that lists what was built.
    """

    index: SourceFile
    files: tuple[BuiltFile, ...]
    missing: tuple[str, ...]


def _name_key(identity: ObjectId) -> tuple[str, str, str, str]:
    return group_of(identity.api_version), identity.kind, identity.namespace or "default", identity.name


def _spec(admitted: AdmittedObject) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = admitted.body["spec"]
    return spec
