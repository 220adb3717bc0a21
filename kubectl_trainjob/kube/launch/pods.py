"""Host and DNS names of Pods.

Mirrors constructJob, GetSubdomain and dnsHostnamesEnabled in sigs.k8s.io/jobset `pkg/controllers/jobset_controller.go`
(v0.12), the defaults of its webhook, and manageJob in k8s.io/kubernetes `pkg/controller/job/job_controller.go` (1.36),
which gives the Pod of each completion index its host name, whatever the template says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body


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
    network: Mapping[str, Any] = value_at(jobset, ("spec", "network")) or {}
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


def _count(stated: int | None) -> int:
    return 1 if stated is None else stated
