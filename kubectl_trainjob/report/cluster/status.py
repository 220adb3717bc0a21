"""The jobs of a cluster as a table, as names, and as JSON or YAML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from kubectl_trainjob.cluster.jobs.status import JobStatus, RoleCounts
from kubectl_trainjob.cluster.jobs.training_job import training_job_status
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.report.cluster.apply import API_VERSION, document_text, name
from kubectl_trainjob.report.phrases import shown_lines
from kubectl_trainjob.repository.positions import Locator

_GAP = "   "
_COLUMNS = ("NAMESPACE", "NAME", "STATE", "PODS", "GPUS", "AGE", "REASON")
_WIDE = ("NAMESPACE", "KIND", "NAME", "STATE", "PODS", "ROLES", "RESTARTS", "GPUS", "QUEUE", "AGE", "REASON")


class StatusWriter:
    """Writes jobs as `output` says: text, wide, name, json or yaml. Later tables have the columns of the first."""

    def __init__(self, output: str, *, has_namespaces: bool) -> None:
        self._output = output
        names = _WIDE if output == "wide" else _COLUMNS
        self._names = [each for each in names if has_namespaces or each != "NAMESPACE"]
        self._widths: list[int] = []

    def written(self, jobs: Sequence[JobStatus]) -> str:
        """The text; "" for no jobs, except as a document."""
        if self._output in ("json", "yaml"):
            return document_text(_document(jobs), self._output)
        if self._output == "name":
            return shown_lines(name(job.id) for job in jobs)
        return shown_lines(self._lines(jobs))

    def _lines(self, jobs: Sequence[JobStatus]) -> Iterator[str]:
        rows = [[_cell(job, each) for each in self._names] for job in jobs]
        is_first = not self._widths
        if rows and is_first:
            self._widths = [max(map(len, column)) for column in zip(self._names, *rows, strict=True)]
            yield self._row(self._names)
        yield from map(self._row, rows)
        details = [job for job in jobs if job.message or job.place]
        if details and is_first:
            yield ""
        locator = Locator()
        yield from (_detail(job, locator) for job in details)

    def _row(self, cells: Sequence[str]) -> str:
        return _GAP.join(cell.ljust(width) for cell, width in zip(cells, self._widths, strict=True)).rstrip()


def _cell(job: JobStatus, column: str) -> str:
    gpus = [f"{amount}" if len(job.gpus or {}) == 1 else f"{amount} {key}" for key, amount in (job.gpus or {}).items()]
    cells = {
        "NAMESPACE": job.id.namespace,
        "KIND": job.id.kind,
        "NAME": job.id.name,
        "STATE": job.state,
        "PODS": _pods(job.roles) if job.created else "",
        "ROLES": ",".join(f"{each.name}={_pods([each])}" for each in job.roles),
        "RESTARTS": str(sum(each.restarts for each in job.roles)) if job.roles else "",
        "GPUS": ",".join(gpus),
        "QUEUE": job.queue,
        "AGE": age(seconds_between(job.created, job.now)) if job.created else "",
        "REASON": job.reason,
    }
    return cells[column] or "-"


def _pods(roles: Iterable[RoleCounts]) -> str:
    """Pods that are ready or have succeeded, of all."""
    counts = [(min(each.ready + each.succeeded, each.pods), each.pods) for each in roles]
    return f"{sum(done for done, _ in counts)}/{sum(pods for _, pods in counts)}" if counts else ""


def _detail(job: JobStatus, locator: Locator) -> str:
    where = [str(locator.resolve(job.place))] if job.place else []
    return ": ".join(part for part in (*where, job.id.name, job.reason, " ".join(job.message.split())) if part)


def age(seconds: float) -> str:
    """A time as kubectl writes it. Mirrors HumanDuration in k8s.io/apimachinery `pkg/util/duration`."""
    whole = max(int(seconds), 0)
    for below, unit, sign, small, small_sign in (
        (120, 1, "s", 0, ""),
        (600, 60, "m", 1, "s"),
        (3 * 3600, 60, "m", 0, ""),
        (8 * 3600, 3600, "h", 60, "m"),
        (48 * 3600, 3600, "h", 0, ""),
        (8 * 86400, 86400, "d", 3600, "h"),
    ):
        if whole < below:
            rest = whole % unit // small if small else 0
            return f"{whole // unit}{sign}" + (f"{rest}{small_sign}" if rest else "")
    return f"{whole // 86400}d"


def _document(jobs: Sequence[JobStatus]) -> dict[str, Any]:
    locator = Locator()
    return {"apiVersion": API_VERSION, "kind": "StatusList", "jobs": [_values(job, locator) for job in jobs]}


def _values(job: JobStatus, locator: Locator) -> dict[str, Any]:
    values: dict[str, Any] = {
        "kind": job.id.kind,
        "namespace": job.id.namespace,
        "name": job.id.name,
        "trainJob": job.train_job,
        "uid": job.uid,
        "state": job.state,
        "reason": job.reason,
        "message": job.message,
        "suspended": job.is_suspended,
        "created": job.created,
        "finished": job.finished,
        "gpus": None if job.gpus is None else {key: amount.value() for key, amount in job.gpus.items()},
        "queue": job.queue,
        "roles": [asdict(each) for each in job.roles] if job.created else None,
        "conditions": list(job.conditions) if job.created else None,
    }
    if job.training_job and job.jobset:
        values["trainingJob"] = {"name": job.training_job, "status": training_job_status(job.jobset)}
    if job.place:
        location = locator.resolve(job.place)
        values |= {"file": location.file.path, "line": location.span.line}
    return {key: value for key, value in values.items() if value not in ("", None)}
