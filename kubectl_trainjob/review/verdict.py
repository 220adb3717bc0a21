"""The impact of a change on each job, and the verdict on the whole."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from types import MappingProxyType

from kubectl_trainjob.kube.facts.kinds import KindRole, is_job, role_of, starts_trials
from kubectl_trainjob.kube.updates.result import STATES, State, possible_states
from kubectl_trainjob.model.finding import Finding, LintReport
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import JobId, is_named
from kubectl_trainjob.review.diff.changes import Change, Difference, Sizes, rejected_in
from kubectl_trainjob.review.diff.totals import NOTHING
from kubectl_trainjob.review.diff.view import Report
from kubectl_trainjob.review.result import Impact, JobRow, Review, ReviewVerdict

DECISIVE_IMPACTS: Mapping[ReviewVerdict, tuple[Impact, ...]] = MappingProxyType(
    {
        ReviewVerdict.UNBUILT: (Impact.UNBUILT,),
        ReviewVerdict.REJECTED: (Impact.REJECTED, Impact.STUCK),
        ReviewVerdict.RERUNS: (Impact.RERUNS,),
        ReviewVerdict.ENDS: (Impact.ENDS, Impact.SUSPENDS),
        ReviewVerdict.UNKNOWN: (Impact.UNKNOWN,),
        ReviewVerdict.CHANGES: (Impact.CHANGES,),
    }
)
"""The impacts on one job that give each verdict; other reasons are in `_general_verdicts`."""

_IMPACTS = {impact: rank for rank, impact in enumerate(Impact)}
_SEVERITIES = {severity: rank for rank, severity in enumerate(Severity)}
_UNKNOWN = Sizes(None, None)
_TURNS: Mapping[tuple[State, ...], Impact] = MappingProxyType(
    {("suspending",): Impact.SUSPENDS, ("resuming",): Impact.STARTS}
)


def review_of(
    report: Report,
    lint: LintReport,
    results: Mapping[JobId, Sequence[Finding]],
    of_updates: Container[str],
    unread_overlays: tuple[str, ...] = (),
) -> Review:
    """The review of a difference and of new findings; `results` has the findings of each TrainJob.

    `of_updates` are the ids of the rules about rejected updates: the difference has these updates already.
    `unread_overlays` are as in `Review`.
    """
    new = [result for result in lint.results if result.rule.id not in of_updates]
    known = set(new)
    of_jobs = {job: [each for each in found if each in known] for job, found in results.items()}
    rows = job_rows(report.difference, of_jobs)
    others = tuple(filter(_may_matter, report.difference.changes))
    verdicts = {verdict for verdict, impacts in DECISIVE_IMPACTS.items() if any(row.impact in impacts for row in rows)}
    verdicts.update(_general_verdicts(report, new, others))
    verdicts.update([ReviewVerdict.UNKNOWN] if unread_overlays else [])
    verdict = next(filter(verdicts.__contains__, ReviewVerdict))
    return Review(report, lint, tuple(new), rows, others, verdict, unread_overlays)


def _may_matter(change: Change) -> bool:
    """Whether a change of an object that belongs to no job may affect a live job."""
    if _belongs_to_job(change) or change.change == "added":
        return False
    is_runtime = role_of(change.identity) is KindRole.RUNTIME
    return change.change == "removed" or not is_runtime or bool(rejected_in(change))


def _general_verdicts(report: Report, new: Sequence[Finding], others: Sequence[Change]) -> Iterator[ReviewVerdict]:
    """The verdicts that do not come from single jobs."""
    yield ReviewVerdict.SAFE
    if any(problem.side == "new" for problem in report.problems):
        yield ReviewVerdict.UNBUILT
    if any(problem.side == "old" for problem in report.problems) or report.difference.incomplete:
        yield ReviewVerdict.UNKNOWN
    if any(rejected_in(change) for change in report.difference.changes):
        yield ReviewVerdict.REJECTED
    if any(result.severity is Severity.ERROR for result in new):
        yield ReviewVerdict.ERRORS
    if others:
        yield ReviewVerdict.ENDS if any(map(ends_trials, others)) else ReviewVerdict.CHANGES


def ends_trials(change: Change) -> bool:
    """Whether the change removes a search, whose trials then end."""
    return change.change == "removed" and starts_trials(change.identity)


def job_rows(difference: Difference, results: Mapping[JobId, Sequence[Finding]]) -> tuple[JobRow, ...]:
    """A row for each job that differs, or that one tree does not know fully, by impact; `results` are new findings."""
    jobs = _RowBuilder(difference)
    rows = (row._replace(results=tuple(results.get(row.job, ()))) for row in (*jobs.train_jobs(), *jobs.job_sets()))
    return tuple(sorted(rows, key=_by_impact))


def _by_impact(row: JobRow) -> tuple[object, ...]:
    worst = min((_SEVERITIES[result.severity] for result in row.results), default=len(_SEVERITIES))
    return _IMPACTS[row.impact], worst, row.job.overlay, row.job.identity


def _belongs_to_job(change: Change) -> bool:
    """Whether the object is a job, or generated from one."""
    return change.job is not None or is_job(change.identity)


class _RowBuilder:
    """Builds the rows of a difference."""

    def __init__(self, difference: Difference) -> None:
        self._difference = difference
        self._unread = {unit.overlay for unit in difference.incomplete}
        changes = filter(_belongs_to_job, difference.changes)
        self._changes = group((JobId(each.job or each.identity, each.overlay), each) for each in changes)

    def train_jobs(self) -> Iterator[JobRow]:
        """The rows of TrainJobs; a renamed one has one row."""
        summary = self._difference.summary
        former = {new: old for old, new in summary.renamed}
        for job in summary.changed:
            yield self._changed_row(job)
        for job in summary.added:
            yield self._added_row(job, former.get(job))
        for job in set(summary.removed) - set(former.values()):
            yield self._removed_row(job)
        differing = {*summary.changed, *summary.added, *summary.removed}
        for job in {*summary.sizes, *self._difference.unbuilt} - differing:
            impact = Impact.UNBUILT if job in self._difference.broken else Impact.UNKNOWN
            yield JobRow(job, "unknown", impact, self._sizes(job))

    def job_sets(self) -> Iterator[JobRow]:
        """The rows of JobSets that are inputs."""
        for job, (change, *_) in self._changes.items():
            if role_of(job.identity) is not KindRole.JOB_SET:
                continue
            other = JobId(change.counterpart, change.overlay) if change.counterpart else None
            if change.old is not None and not is_named(change.old):
                yield JobRow(job, change.change, Impact.KEPT, self._sizes(job))
            elif change.change == "changed":
                yield self._changed_row(job)
            elif change.change == "added":
                yield self._added_row(job, other)
            elif other is None:
                yield self._removed_row(job)

    def _sizes(self, job: JobId) -> Sizes:
        return self._difference.summary.sizes.get(job, _UNKNOWN)

    def _changed_row(self, job: JobId) -> JobRow:
        changes = self._changes.get(job, ())
        rejected = {state for change in changes for state in rejected_in(change)}
        states = tuple(state for state in STATES if state in rejected)
        if states:
            return JobRow(job, "changed", Impact.REJECTED, self._sizes(job), states)
        impact = _impact_of_accepted(changes)
        if impact is Impact.RERUNS and job.overlay in self._unread:  # the other tree may print the same kind
            impact = Impact.UNKNOWN
        return JobRow(job, "changed", impact, self._sizes(job))

    def _added_row(self, job: JobId, former: JobId | None) -> JobRow:
        if former is None:
            return JobRow(job, "added", Impact.NEW, _fill(self._sizes(job)))
        is_suspended = any(map(_is_suspended, self._changes.get(job, ())))
        impact = Impact.ENDS if is_suspended else Impact.RERUNS
        return JobRow(job, "renamed", impact, self._sizes(job), former=former)

    def _removed_row(self, job: JobId) -> JobRow:
        return JobRow(job, "removed", Impact.ENDS, _fill(self._sizes(job)))


def _impact_of_accepted(changes: Sequence[Change]) -> Impact:
    """The impact of changes that the API server accepts. Without changes, only a later run differs."""
    kinds = {change.change for change in changes if is_job(change.identity)}
    if {"added", "removed"} <= kinds:  # the TrainJob itself instead of its JobSet, or the reverse
        return Impact.RERUNS
    if any(map(_is_stuck, changes)):
        return Impact.STUCK
    turns = (_TURNS.get(possible_states(change.old, change.new)) for change in changes if change.old and change.new)
    turned = next(filter(None, turns), None)
    return turned or (Impact.CHANGES if changes else Impact.KEPT)


def _is_stuck(change: Change) -> bool:
    """Whether the JobSet cannot follow its TrainJob, in the state that the files give, or while it is suspended."""
    if change.generated_result is None or change.old is None or change.new is None:
        return False
    states = possible_states(change.old, change.new)
    return not change.generated_result.accepts(states[0] if len(states) == 1 else "suspended")


def _is_suspended(change: Change) -> bool:
    """Whether the files suspend a new job."""
    return is_job(change.identity) and change.new is not None and value_at(change.new, ("spec", "suspend")) is True


def _fill(sizes: Sizes) -> Sizes:
    """The sizes where a tree without the job requests nothing."""
    before, after = sizes
    return Sizes(before or NOTHING, after or NOTHING) if before or after else sizes
