"""Host and DNS names of Pods.

Mirrors constructJob, GetSubdomain and dnsHostnamesEnabled in sigs.k8s.io/jobset `pkg/controllers/jobset_controller.go`
(v0.12), the defaults of its webhook, and manageJob in k8s.io/kubernetes `pkg/controller/job/job_controller.go` (1.36),
which gives the Pod of each completion index its host name, whatever the template states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, job_template, pod_spec
from kubectl_trainjob.model.draft import Draft


@dataclass(frozen=True, slots=True)
class Pods:
    """The Pods of a replicatedJob: `size` in each of `replicas` Jobs.

    `subdomain` is that of the Pods, "" for none; `has_service` says whether JobSet makes the headless Service of this
    name, which alone gives the Pods DNS names. `is_indexed`: Pods of other Jobs have random names.
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
        """How many there are in all."""
        return max(self.replicas, 0) * max(self.size, 0)

    def hostname(self, replica: int, index: int) -> str:
        """The host name of one."""
        return f"{self.jobset}-{self.job}-{replica}-{index}"

    def hostnames(self) -> Iterator[str]:
        """The host names in order, none where they are random."""
        if self.is_indexed:
            for replica in range(self.replicas):
                for index in range(self.size):
                    yield self.hostname(replica, index)

    def dns(self) -> Iterator[str]:
        """The names that are found from within the namespace."""
        if self.has_service:
            for hostname in self.hostnames():
                yield f"{hostname}.{self.subdomain}"

    def has(self, name: str) -> bool:
        """Whether a name, as it is found from within the namespace, is that of one of these."""
        prefix, suffix = f"{self.jobset}-{self.job}-", f".{self.subdomain}"
        if not (self.is_indexed and self.has_service and name.startswith(prefix) and name.endswith(suffix)):
            return False
        replica, _, index = name[len(prefix) : len(name) - len(suffix)].partition("-")
        return _is_below(replica, self.replicas) and _is_below(index, self.size)

    def as_range(self) -> str:
        """All host names in one: `job-node-0-[0-3]`; "" where there are none."""
        if not self.is_indexed or not self.count:
            return ""
        return f"{self.jobset}-{self.job}-{_indexes(self.replicas)}-{_indexes(self.size)}"


def _is_below(text: str, end: int) -> bool:
    is_number = text.isascii() and text.isdigit() and (text == "0" or not text.startswith("0"))
    return is_number and len(text) <= 10 and int(text) < end


def _indexes(size: int) -> str:
    return "0" if size == 1 else f"[0-{size - 1}]"


def pods_of(jobset: Draft, position: int) -> Pods:
    """The Pods of one replicatedJob of an expanded JobSet."""
    name = jobset.get("metadata", "name")
    network: Mapping[str, Any] = jobset.get("spec", "network") or {}
    is_on = network.get("enableDNSHostnames")
    has_service = is_on is None or bool(is_on)
    job = jobset.get(*REPLICATED_JOBS, position)
    spec = jobset.get(*job_template(position), "spec")
    own = jobset.get(*pod_spec(position), "subdomain") or ""
    return Pods(
        jobset=name,
        job=job["name"],
        replicas=_count(job.get("replicas")),
        size=_count(spec.get("completions", spec.get("parallelism"))),
        subdomain=(network.get("subdomain") or name) if has_service else own,
        has_service=has_service,
        is_indexed=spec.get("completionMode", "Indexed") == "Indexed",
    )


def _count(stated: int | None) -> int:
    return 1 if stated is None else stated


def in_ranges(lines: list[str]) -> Iterator[str]:
    """Lines that differ by consecutive numbers at the end of their host names, each such run as one: `a-[0-3].a`."""
    run: list[tuple[str, int, str]] = []
    for line in lines:
        parts = _numbered(line)
        if run and (parts is None or parts != (run[-1][0], run[-1][1] + 1, run[-1][2])):
            yield _shown(run)
            run = []
        if parts is None:
            yield line
        else:
            run.append(parts)
    if run:
        yield _shown(run)


def _numbered(line: str) -> tuple[str, int, str] | None:
    """What stands before and behind the number at the end of a line's host name."""
    host, dot, rest = line.partition(".")
    stem, dash, number = host.rpartition("-")
    return (stem + dash, int(number), dot + rest) if dash and _is_below(number, 1 << 31) else None


def _shown(run: list[tuple[str, int, str]]) -> str:
    before, first, behind = run[0]
    last = run[-1][1]
    return f"{before}{first}{behind}" if first == last else f"{before}[{first}-{last}]{behind}"
