"""The replicatedJobs of a JobSet, their containers, and the host and DNS names of their Pods, as plain data.

Mirrors constructJob, GetSubdomain and dnsHostnamesEnabled in sigs.k8s.io/jobset `pkg/controllers/jobset_controller.go`
(v0.12), and the defaults of its webhook. Also mirrors manageJob in k8s.io/kubernetes
`pkg/controller/job/job_controller.go` (1.36), which sets the host name of the Pod of each completion index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, job_template, pod_spec
from kubectl_trainjob.kube.facts.resources import Resources
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_LABEL, ANCESTOR_TRAINER, NODE
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body


class ContainerSpec(NamedTuple):
    """A container or init container; `pointer` leads to it in its object."""

    pointer: Pointer
    body: Body

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
        return self.values.get(name)

    @property
    def values(self) -> dict[str, str]:
        """The values of all variables without `valueFrom`; of duplicates the last one."""
        entries = {each["name"]: each for each in self.body.get("env") or ()}
        return {name: str(each.get("value") or "") for name, each in entries.items() if each.get("valueFrom") is None}


class ReplicatedJob(NamedTuple):
    """One replicatedJob, by its position in the JobSet."""

    position: int
    body: Body

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
    def job(self) -> Body:
        """The Job's spec."""
        return self.body.get("template", {}).get("spec") or {}

    @property
    def pod(self) -> Body:
        """The Pod's spec."""
        return (self.job.get("template") or {}).get("spec") or {}

    @property
    def pods(self) -> int:
        """The Pods that run at the same time, if all can be scheduled.

        Mirrors podsCount in kueue `pkg/controller/jobs/jobset/jobset_controller.go` and the defaults of Jobs and
        JobSets.
        """
        replicas, parallelism = _count(self.body.get("replicas")), _count(self.job.get("parallelism"))
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


@dataclass(frozen=True, slots=True)
class Pods:
    """The Pods of a replicatedJob: `size` in each of `replicas` Jobs.

    `subdomain` is that of the Pods, "" for none; `has_service`: JobSet creates the headless Service of this name, and
    without it Pods have no DNS names. `is_indexed`: Pods of other Jobs have random names.
    """

    jobset: str
    job: str
    replicas: int
    size: int
    subdomain: str
    has_service: bool
    is_indexed: bool

    @property
    def count(self) -> int:
        """The number of Pods."""
        return max(self.replicas, 0) * max(self.size, 0)

    def hostname(self, replica: int, index: int) -> str:
        """The host name of one."""
        return f"{self.jobset}-{self.job}-{replica}-{index}"

    def hostnames(self) -> Iterator[str]:
        """The host names in order, none if they are random."""
        if self.is_indexed:
            for replica in range(self.replicas):
                for index in range(self.size):
                    yield self.hostname(replica, index)

    def dns(self) -> Iterator[str]:
        """The DNS names as used within the namespace."""
        if self.has_service:
            for hostname in self.hostnames():
                yield f"{hostname}.{self.subdomain}"

    def has(self, name: str) -> bool:
        """Whether a DNS name, as used within the namespace, is one of these Pods'."""
        prefix, suffix = f"{self.jobset}-{self.job}-", f".{self.subdomain}"
        if not (self.is_indexed and self.has_service and name.startswith(prefix) and name.endswith(suffix)):
            return False
        replica, _, index = name[len(prefix) : len(name) - len(suffix)].partition("-")
        return is_index(replica, self.replicas) and is_index(index, self.size)

    def as_range(self) -> str:
        """All host names in one: `job-node-0-[0-3]`; "" without any."""
        if not self.is_indexed or not self.count:
            return ""
        return f"{self.jobset}-{self.job}-{_range(self.replicas)}-{_range(self.size)}"


def is_index(text: str, end: int) -> bool:
    """Whether a text is the decimal number of an index below `end`."""
    is_number = text.isascii() and text.isdigit() and (text == "0" or not text.startswith("0"))
    return is_number and len(text) <= 10 and int(text) < end


def _range(size: int) -> str:
    return "0" if size == 1 else f"[0-{size - 1}]"


def pods_of(jobset: Body, job: ReplicatedJob) -> Pods:
    """The Pods of one replicatedJob of a generated JobSet."""
    name = jobset["metadata"]["name"]
    network: Body = value_at(jobset, ("spec", "network")) or {}
    has_service = network.get("enableDNSHostnames") in (None, True)
    return Pods(
        jobset=name,
        job=job.name,
        replicas=_count(job.body.get("replicas")),
        size=_count(job.job.get("completions", job.job.get("parallelism"))),
        subdomain=(network.get("subdomain") or name) if has_service else job.pod.get("subdomain") or "",
        has_service=has_service,
        is_indexed=job.job.get("completionMode", "Indexed") == "Indexed",
    )


def _count(number: int | None) -> int:
    return 1 if number is None else number
