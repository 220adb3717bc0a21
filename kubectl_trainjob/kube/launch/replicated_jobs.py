"""The replicatedJobs of a JobSet and their containers, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, job_template, pod_spec
from kubectl_trainjob.kube.facts.node_counts import Resources
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_LABEL, ANCESTOR_TRAINER, NODE
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body


class ContainerSpec(NamedTuple):
    """A container or init container; `pointer` leads to it in its object."""

    pointer: Pointer
    body: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The container's name."""
        return str(self.body["name"])

    @property
    def is_init(self) -> bool:
        """Whether it runs before the others."""
        return "initContainers" in self.pointer

    @property
    def resources(self) -> Resources:
        """Its requests and limits."""
        return self.body.get("resources") or {}

    @property
    def words(self) -> list[str]:
        """Its command and args."""
        return [*(self.body.get("command") or ()), *(self.body.get("args") or ())]

    def variable(self, name: str) -> Pointer | None:
        """The pointer to a variable; of duplicates to the last, which is the effective one."""
        entries = self.body.get("env") or ()
        found = (index for index in reversed(range(len(entries))) if entries[index]["name"] == name)
        index = next(found, None)
        return None if index is None else (*self.pointer, "env", index)

    def value(self, name: str) -> str | None:
        """The value of a variable, None for an absent one and for one with `valueFrom`."""
        pointer = self.variable(name)
        entry = value_at(self.body, pointer[-2:]) if pointer else None
        return None if entry is None or entry.get("valueFrom") is not None else str(entry.get("value") or "")


class ReplicatedJob(NamedTuple):
    """One replicatedJob, by its position in the JobSet."""

    position: int
    body: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.body["name"])

    @property
    def ancestor(self) -> str | None:
        """The step of the training: the label of its Job template."""
        metadata = self.body.get("template", {}).get("metadata") or {}
        return (metadata.get("labels") or {}).get(ANCESTOR_LABEL)

    @property
    def job(self) -> Mapping[str, Any]:
        """The Job's spec."""
        return self.body.get("template", {}).get("spec") or {}

    @property
    def pod(self) -> Mapping[str, Any]:
        """The Pod's spec."""
        return (self.job.get("template") or {}).get("spec") or {}

    @property
    def pods(self) -> int:
        """The Pods that run at the same time, if all can be scheduled.

        Mirrors podsCount in kueue `pkg/controller/jobs/jobset/jobset_controller.go` and the defaults of Jobs and
        JobSets.
        """
        stated = self.body.get("replicas"), self.job.get("parallelism")
        replicas, parallelism = (1 if each is None else each for each in stated)
        completions = self.job.get("completions")
        of_one_job = parallelism if completions is None else min(parallelism, completions)
        return int(max(replicas, 0) * max(of_one_job, 0))

    def in_job(self, *pointer: str | int) -> Pointer:
        """A pointer into the JobSet, from one into the Job template."""
        return (*job_template(self.position), *pointer)

    def in_pod(self, *pointer: str | int) -> Pointer:
        """A pointer into the JobSet, from one into the Pod's spec."""
        return (*pod_spec(self.position), *pointer)

    def containers(self) -> Iterator[ContainerSpec]:
        """Init containers, then containers."""
        for kind in ("initContainers", "containers"):
            for index, container in enumerate(self.pod.get(kind) or ()):
                yield ContainerSpec(self.in_pod(kind, index), container)

    def node(self) -> ContainerSpec | None:
        """The container `node`, which Trainer's plugins write into."""
        return next((each for each in self.containers() if each.body.get("name") == NODE and not each.is_init), None)


def replicated_jobs(jobset: Body) -> tuple[ReplicatedJob, ...]:
    """The replicatedJobs of a JobSet in order."""
    jobs = value_at(jobset, REPLICATED_JOBS) or ()
    return tuple(map(ReplicatedJob, range(len(jobs)), jobs))


def trainer_of(jobs: Iterable[ReplicatedJob]) -> ReplicatedJob | None:
    """The replicatedJob that trains: the first one labelled as the step `trainer`."""
    return next((each for each in jobs if each.ancestor == ANCESTOR_TRAINER), None)


def counted_node(jobs: Iterable[ReplicatedJob]) -> ContainerSpec | None:
    """The container whose resources Trainer counts processes from, if the TrainJob sets no resourcesPerNode.

    Mirrors ExtractResourcePerNodeFromRuntime in trainer `pkg/runtime/runtime.go` (2.1-2.3).
    """
    read = (each.node() for each in jobs if each.name == NODE or each.ancestor == ANCESTOR_TRAINER)
    return next(filter(None, read), None)
