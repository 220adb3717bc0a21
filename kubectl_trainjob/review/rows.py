"""The jobs of a difference, each with what a cluster makes of all that changes for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from kubectl_trainjob.kube.facts.kinds import KindRole, is_job, role_of
from kubectl_trainjob.kube.updates.verdict import STATES, State, reachable
from kubectl_trainjob.model.finding import Finding
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.review.diff.changes import Change, Difference, Sizes
from kubectl_trainjob.review.diff.refused import refused_in
from kubectl_trainjob.review.diff.totals import NOTHING
from kubectl_trainjob.review.view import JobRow, Outcome

_OUTCOMES = {outcome: rank for rank, outcome in enumerate(Outcome)}
_SEVERITIES = {severity: rank for rank, severity in enumerate(Severity)}
_UNKNOWN = Sizes(None, None)
_TURNS: Mapping[tuple[State, ...], Outcome] = MappingProxyType(
    {("suspending",): Outcome.SUSPENDS, ("resuming",): Outcome.STARTS}
)


def rows_of(difference: Difference, results: Mapping[JobId, Sequence[Finding]]) -> tuple[JobRow, ...]:
    """A row for each job that differs, or of which a side does not know all; `results` are the new findings."""
    jobs = _Jobs(difference)
    rows = (row._replace(results=tuple(results.get(row.job, ()))) for row in (*jobs.train_jobs(), *jobs.job_sets()))
    return tuple(sorted(rows, key=_worst_first))


def is_of_a_job(change: Change) -> bool:
    """Whether the object is a job, or made from one."""
    return change.job is not None or _is_job(change)


def _is_job(change: Change) -> bool:
    return is_job(change.identity)


class _Jobs:
    """Makes the rows of a difference."""

    def __init__(self, difference: Difference) -> None:
        self._difference = difference
        self._unread = {unit.overlay for unit in difference.incomplete}
        self._changes: dict[JobId, list[Change]] = defaultdict(list)
        for change in filter(is_of_a_job, difference.changes):
            self._changes[JobId(change.job or change.identity, change.overlay)].append(change)

    def train_jobs(self) -> Iterator[JobRow]:
        """Those of TrainJobs; what is renamed has one."""
        summary = self._difference.summary
        former = {new: old for old, new in summary.renamed}
        for job in summary.changed:
            yield self._changed(job)
        for job in summary.added:
            yield self._added(job, former.get(job))
        for job in set(summary.removed) - set(former.values()):
            yield self._gone(job)
        told = {*summary.changed, *summary.added, *summary.removed}
        for job in {*summary.sizes, *self._difference.unbuilt} - told:
            outcome = Outcome.UNBUILT if job in self._difference.broken else Outcome.UNKNOWN
            yield JobRow(job, "unknown", outcome, self._sizes(job))

    def job_sets(self) -> Iterator[JobRow]:
        """Those of JobSets that are written by hand."""
        for job, (change, *_) in self._changes.items():
            if role_of(job.identity) is not KindRole.JOB_SET:
                continue
            other = JobId(change.counterpart, change.overlay) if change.counterpart else None
            if change.change == "changed":
                yield self._changed(job)
            elif change.change == "added":
                yield self._added(job, other)
            elif other is None:
                yield self._gone(job)

    def _sizes(self, job: JobId) -> Sizes:
        return self._difference.summary.sizes.get(job, _UNKNOWN)

    def _changed(self, job: JobId) -> JobRow:
        changes = self._changes.get(job, ())
        refused = {state for change in changes for state in refused_in(change)}
        states = tuple(state for state in STATES if state in refused)
        if states:
            return JobRow(job, "changed", Outcome.REFUSED, self._sizes(job), states)
        outcome = _accepted(changes)
        if outcome is Outcome.RERUNS and job.overlay in self._unread:  # what it was to be printed as is not known
            outcome = Outcome.UNKNOWN
        return JobRow(job, "changed", outcome, self._sizes(job))

    def _added(self, job: JobId, former: JobId | None) -> JobRow:
        if former is None:
            return JobRow(job, "added", Outcome.NEW, _filled(self._sizes(job)))
        waits = any(_is_suspended(change) for change in self._changes.get(job, ()))
        return JobRow(job, "renamed", Outcome.ENDS if waits else Outcome.RERUNS, self._sizes(job), former=former)

    def _gone(self, job: JobId) -> JobRow:
        return JobRow(job, "removed", Outcome.ENDS, _filled(self._sizes(job)))


def _accepted(changes: Sequence[Change]) -> Outcome:
    """What changes do that the API server accepts; without any only a new run is another one."""
    kinds = {change.change for change in changes if _is_job(change)}
    if {"added", "removed"} <= kinds:  # the TrainJob itself instead of what it becomes, or the other way round
        return Outcome.RERUNS
    if any(map(_is_stuck, changes)):
        return Outcome.STUCK
    turns = (_TURNS.get(reachable(change.old, change.new)) for change in changes if change.old and change.new)
    turned = next(filter(None, turns), None)
    return turned or (Outcome.CHANGES if changes else Outcome.KEPT)


def _is_stuck(change: Change) -> bool:
    """Whether the JobSet cannot follow its TrainJob, in the states that the files lead to, or while it is suspended."""
    if change.made is None or change.old is None or change.new is None:
        return False
    states = reachable(change.old, change.new)
    return not change.made.accepts(states[0] if len(states) == 1 else "suspended")


def _is_suspended(change: Change) -> bool:
    """Whether the files say that a new job waits."""
    return _is_job(change) and change.new is not None and value_at(change.new, ("spec", "suspend")) is True


def _filled(sizes: Sizes) -> Sizes:
    """A side that is known not to have the job asks for nothing."""
    before, after = sizes
    return Sizes(before or NOTHING, after or NOTHING) if before or after else sizes


def _worst_first(row: JobRow) -> tuple[object, ...]:
    worst = min((_SEVERITIES[result.severity] for result in row.results), default=len(_SEVERITIES))
    return _OUTCOMES[row.outcome], worst, row.job.overlay, row.job.identity
