"""The jobs of a difference, each with what a cluster makes of all that changes for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kubectl_trainjob.api import jobset, trainer
from kubectl_trainjob.diff.changes import Change, Difference, JobId, Sizes, Summary
from kubectl_trainjob.diff.refused import refused_in
from kubectl_trainjob.diff.totals import NOTHING
from kubectl_trainjob.findings.results import Result
from kubectl_trainjob.findings.rule import Severity
from kubectl_trainjob.review.told import JobRow, Outcome
from kubectl_trainjob.source import value_at
from kubectl_trainjob.stages import Body
from kubectl_trainjob.verdict.reachable import reachable
from kubectl_trainjob.verdict.verdict import STATES

ByJob = Mapping[JobId, Sequence[Change]]

_OUTCOMES = {outcome: rank for rank, outcome in enumerate(Outcome)}
_SEVERITIES = {severity: rank for rank, severity in enumerate(Severity)}
_NONE = Sizes(None, None)
_TURNS = {("suspending",): Outcome.SUSPENDS, ("resuming",): Outcome.STARTS}


def rows_of(difference: Difference, results: Mapping[JobId, Sequence[Result]]) -> tuple[JobRow, ...]:
    """A row for each job that differs, or of which a side does not know all; `results` are the new findings."""
    by_job = _by_job(difference.changes)
    rows = [_with_results(row, results) for row in (*_train_jobs(difference, by_job), *_job_sets(by_job))]
    return tuple(sorted(rows, key=_worst_first))


def _by_job(changes: Iterable[Change]) -> ByJob:
    """The changes of each TrainJob, and of each JobSet that is none's."""
    found: dict[JobId, list[Change]] = defaultdict(list)
    for change in changes:
        if change.job is not None or _is_job(change):
            found[JobId(change.job or change.identity, change.overlay)].append(change)
    return found


def _is_job(change: Change) -> bool:
    kinds = ((jobset.API_VERSION, jobset.KIND), (trainer.API_VERSION, trainer.TRAIN_JOB))
    return (change.identity.api_version, change.identity.kind) in kinds


def _train_jobs(difference: Difference, by_job: ByJob) -> Iterator[JobRow]:
    """The rows of TrainJobs; what is renamed has one."""
    summary = difference.summary
    renamed = {new: old for old, new in summary.renamed}
    former = set(renamed.values())
    for job in summary.changed:
        yield _changed(job, by_job.get(job, ()), _sizes(summary, job))
    for job in summary.added:
        yield _added(job, renamed.get(job), by_job, _sizes(summary, job))
    for job in summary.removed:
        if job not in former:
            yield _gone(job, by_job.get(job, ()), _sizes(summary, job))
    told = {*summary.changed, *summary.added, *summary.removed}
    for job in dict.fromkeys((*summary.sizes, *difference.unbuilt)):
        if job not in told:
            yield JobRow(job, "unknown", Outcome.UNKNOWN, _sizes(summary, job))


def _sizes(summary: Summary, job: JobId) -> Sizes:
    return summary.sizes.get(job, _NONE)


def _job_sets(by_job: ByJob) -> Iterator[JobRow]:
    """The rows of JobSets that are written by hand."""
    for job, changes in by_job.items():
        if job.identity.kind == jobset.KIND:
            (change,) = changes[:1]
            if change.change == "changed":
                yield _changed(job, changes, _NONE)
            elif change.change == "removed" and change.counterpart is None:
                yield _gone(job, changes, _NONE)
            elif change.change == "added":
                former = JobId(change.counterpart, change.overlay) if change.counterpart else None
                yield _added(job, former, by_job, _NONE)


def _changed(job: JobId, changes: Sequence[Change], sizes: Sizes) -> JobRow:
    refused = {state for change in changes for state in refused_in(change)}
    if refused:
        states = tuple(state for state in STATES if state in refused)
        return JobRow(job, "changed", Outcome.REFUSED, sizes, states)
    return JobRow(job, "changed", _accepted(changes), sizes)


def _accepted(changes: Sequence[Change]) -> Outcome:
    """What accepted changes do. An update of a TrainJob does not reach the JobSet of a run that goes on."""
    kinds = {change.change for change in changes if _is_job(change)}
    if {"added", "removed"} <= kinds:  # the TrainJob itself instead of what it becomes, or the other way round
        return Outcome.RERUNS
    for change in changes:
        if _is_job(change) and change.old is not None and change.new is not None:
            states = reachable(change.old, change.new)
            if states in _TURNS:
                return _TURNS[states]
    is_live = any(change.identity.kind != trainer.TRAIN_JOB for change in changes)
    return Outcome.CHANGES if is_live else Outcome.KEPT


def _added(job: JobId, former: JobId | None, by_job: ByJob, sizes: Sizes) -> JobRow:
    if former is None:
        return JobRow(job, "added", Outcome.NEW, _filled(sizes))
    is_idle = _is_suspended(by_job.get(former, ()), is_old=True) or _is_suspended(by_job.get(job, ()), is_old=False)
    return JobRow(job, "renamed", Outcome.NEW if is_idle else Outcome.RERUNS, sizes, former=former)


def _gone(job: JobId, changes: Sequence[Change], sizes: Sizes) -> JobRow:
    outcome = Outcome.KEPT if _is_suspended(changes, is_old=True) else Outcome.ENDS
    return JobRow(job, "removed", outcome, _filled(sizes))


def _filled(sizes: Sizes) -> Sizes:
    """A side that is known not to have the job asks for nothing."""
    before, after = sizes
    return Sizes(before or NOTHING, after or NOTHING) if before or after else sizes


def _is_suspended(changes: Iterable[Change], *, is_old: bool) -> bool:
    """Whether the files say that the job is suspended."""
    bodies: list[Body | None] = [change.old if is_old else change.new for change in changes if _is_job(change)]
    return any(body is not None and value_at(body, ("spec", "suspend")) is True for body in bodies)


def _with_results(row: JobRow, results: Mapping[JobId, Sequence[Result]]) -> JobRow:
    found = results.get(row.job)
    return row._replace(results=tuple(found)) if found else row


def _worst_first(row: JobRow) -> tuple[object, ...]:
    worst = min((_SEVERITIES[result.rule.severity] for result in row.results), default=len(_SEVERITIES))
    return _OUTCOMES[row.outcome], worst, row.job.overlay, row.job.identity
