"""`Plan`: the data of one expansion while the passes run.

Mirrors trainer `pkg/runtime` (Info, PodSet), with one difference: upstream copies containers into PodSets and writes
them back. Here passes write into the JobSet draft, and `builders/jobset.py` reports the ports that the copying loses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from kubectl_trainjob.kube.facts.jobset import job_template, pod_spec
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_LABEL
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, copied
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import ResolvedJob

Value_co = TypeVar("Value_co", covariant=True)

# The names of the inputs that causes begin with. JOB is the TrainJob; JOB_SET is the JobSet as written so far.
JOB = "trainJob"
RUNTIME = "runtime"
JOB_SET = "jobSet"
NAME: Cause = (JOB, "metadata", "name")
TRAINER: Cause = (JOB, "spec", "trainer")
RUNTIME_METADATA: Cause = (RUNTIME, "spec", "template", "metadata")


class DerivedValue(NamedTuple, Generic[Value_co]):
    """A value that was counted or chosen, and the input values that it depends on.

    The first of these decides: it is the line to edit, which `Origin.first_place` returns and
    `environment/counting.py` explains. The others were read, too.
    """

    value: Value_co
    because: tuple[Cause, ...] = ()


class PodSet(NamedTuple):
    """The pods of one replicatedJob: its position, name, `trainjob-ancestor-step` label, number of pods and why.

    The number is a `DerivedValue` in two fields: `because` is where it comes from. `least` is the number that suffices
    to start.
    """

    position: int
    name: str
    ancestor: str | None
    size: int
    because: tuple[Cause, ...] = ()
    least: DerivedValue[int] | None = None

    @property
    def required(self) -> DerivedValue[int]:
        """The number of Pods that a gang needs to start."""
        return self.least or DerivedValue(self.size, self.because)


class Plan(NamedTuple):
    """The state of one expansion: `jobset` is the draft, `command` and `args` are the trainer's after the passes so
    far.

    `slots` are the processes that an MPI node takes.
    """

    resolved: ResolvedJob
    jobset: Draft
    pod_sets: tuple[PodSet, ...]
    command: DerivedValue[list[str] | None]
    args: list[str] | None
    pod_labels: Mapping[str, str] | None = None
    pod_annotations: Mapping[str, str] | None = None
    slots: DerivedValue[int] = DerivedValue(1)

    @property
    def name(self) -> str:
        """The TrainJob's name, which the JobSet and the PodGroup share."""
        return self.resolved.job.manifest.id.name

    @property
    def namespace(self) -> str:
        """The namespace of the TrainJob, "" for none."""
        return self.resolved.job.manifest.id.namespace

    @property
    def job(self) -> Mapping[str, Any]:
        """The TrainJob's spec."""
        spec: Mapping[str, Any] = self.resolved.job.body["spec"]
        return spec

    @property
    def trainer(self) -> Mapping[str, Any] | None:
        """The TrainJob's `spec.trainer`, None if it is not written: most passes distinguish that from `{}`."""
        return self.job.get("trainer")

    @property
    def ml_policy(self) -> Mapping[str, Any] | None:
        """The runtime's `spec.mlPolicy`."""
        return _spec(self.resolved.runtime.body).get("mlPolicy")

    @property
    def pod_group_policy(self) -> Mapping[str, Any] | None:
        """The runtime's `spec.podGroupPolicy`."""
        return _spec(self.resolved.runtime.body).get("podGroupPolicy")

    def gang(self, kind: str) -> Mapping[str, Any] | None:
        """The settings of one gang scheduler ("coscheduling", "volcano"), None when the runtime has none of it."""
        return (self.pod_group_policy or {}).get(kind)

    def policy(self, kind: str) -> Mapping[str, Any] | None:
        """The settings of one ML policy ("torch", "mpi", …), None when the runtime has another or none."""
        return (self.ml_policy or {}).get(kind)

    def by_ancestor(self, ancestor: str) -> PodSet | None:
        """The first PodSet with this ancestor label."""
        return next((pods for pods in self.pod_sets if pods.ancestor == ancestor), None)

    def by_name(self, name: str) -> PodSet | None:
        """The PodSet of the replicatedJob with this name."""
        return next((pods for pods in self.pod_sets if pods.name == name), None)

    def containers(self, pods: PodSet, name: str, kind: str = "containers") -> Iterator[Pointer]:
        """The containers with this name in the JobSet."""
        base = pod_spec(pods.position)
        for index, container in enumerate(self.jobset.get(*base, kind) or ()):
            if container.get("name") == name:
                yield (*base, kind, index)

    def container(self, ancestor: str, name: str) -> Pointer | None:
        """The first container with this name in the first PodSet of the ancestor."""
        pods = self.by_ancestor(ancestor)
        return next(self.containers(pods, name), None) if pods else None

    def with_jobset(self, jobset: Draft) -> Plan:
        """The plan after a write into the JobSet."""
        return self._replace(jobset=jobset)

    def with_count(self, pods: PodSet, count: int, *causes: Cause) -> Plan:
        """The plan with another number of pods in one PodSet."""
        return self._with_pods(pods, pods._replace(size=count, because=causes))

    def with_least(self, pods: PodSet, least: DerivedValue[int]) -> Plan:
        """The plan in which fewer pods of one PodSet suffice to start."""
        return self._with_pods(pods, pods._replace(least=least))

    def _with_pods(self, old: PodSet, new: PodSet) -> Plan:
        return self._replace(pod_sets=tuple(new if each is old else each for each in self.pod_sets))

    def job_place(self, *pointer: str | int) -> Place:
        """A place in the TrainJob."""
        return self.resolved.job.manifest.place(*pointer)

    def origin_place(self, *pointer: str | int) -> Place:
        """The line that a value of the JobSet comes from; the TrainJob's runtimeRef where that is not recorded."""
        return self.jobset.place(pointer) or self.job_place("spec", "runtimeRef", "name")

    def runtime_place(self, *pointer: str | int) -> Place:
        """A place in the runtime."""
        return self.resolved.runtime.manifest.place(*pointer)


def _spec(body: Mapping[str, Any]) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = body["spec"]
    return spec


def ancestor_of(jobset: Draft, index: int) -> str | None:
    """The `trainjob-ancestor-step` label of a replicatedJob."""
    labels = jobset.get(*job_template(index), "metadata", "labels") or {}
    ancestor: str | None = labels.get(ANCESTOR_LABEL)
    return ancestor


def identity(plan: Plan, suffix: str = "") -> list[Write]:
    """Writes of `metadata.name`, the TrainJob's with a suffix, and of `metadata.namespace` if the TrainJob has one."""
    name, namespace = ("metadata", "name"), ("metadata", "namespace")
    writes: list[Write] = [computed(name, plan.name + suffix, (NAME,)) if suffix else copied(name, plan.name, NAME)]
    if plan.namespace:
        writes.append(copied(namespace, plan.namespace, (JOB, *namespace)))
    return writes
