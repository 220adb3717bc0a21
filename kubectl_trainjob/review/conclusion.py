"""The verdict on a whole review."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from types import MappingProxyType

from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.model.finding import Finding, LintReport
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.review.diff.changes import Change
from kubectl_trainjob.review.diff.refused import refused_in
from kubectl_trainjob.review.diff.view import Report
from kubectl_trainjob.review.rows import is_of_a_job, rows_of
from kubectl_trainjob.review.view import Conclusion, Outcome, Review

OUTCOMES: Mapping[Conclusion, tuple[Outcome, ...]] = MappingProxyType(
    {
        Conclusion.UNBUILT: (Outcome.UNBUILT,),
        Conclusion.REFUSED: (Outcome.REFUSED, Outcome.STUCK),
        Conclusion.RERUNS: (Outcome.RERUNS,),
        Conclusion.ENDS: (Outcome.ENDS, Outcome.SUSPENDS),
        Conclusion.UNKNOWN: (Outcome.UNKNOWN,),
        Conclusion.CHANGES: (Outcome.CHANGES,),
    }
)
"""What must become of one job for the whole to be concluded so; other reasons are in `_of_all`."""


def review_of(
    report: Report,
    lint: LintReport,
    results: Mapping[JobId, Sequence[Finding]],
    of_updates: Container[str],
    left_out: tuple[str, ...] = (),
) -> Review:
    """The review of a difference and of what is new wrong; `results` has the findings of each TrainJob.

    `of_updates` are the ids of the rules that tell of refused updates: here the difference tells of them already.
    `left_out` are overlays below what was named that nobody looked at.
    """
    new = [result for result in lint.results if result.rule.id not in of_updates]
    known = set(new)
    of_jobs = {job: [each for each in found if each in known] for job, found in results.items()}
    rows = rows_of(report.difference, of_jobs)
    others = tuple(filter(_may_matter, report.difference.changes))
    told = {conclusion for conclusion, some in OUTCOMES.items() if any(row.outcome in some for row in rows)}
    told.update(_of_all(report, new, others))
    told.update([Conclusion.UNKNOWN] if left_out else [])
    conclusion = next(each for each in Conclusion if each in told)
    return Review(report, lint, tuple(new), rows, others, conclusion, left_out)


def _may_matter(change: Change) -> bool:
    """Whether a change of an object that is no job's may matter to one that lives."""
    is_runtime = role_of(change.identity) is KindRole.RUNTIME
    if is_of_a_job(change) or change.change == "added":
        return False
    return change.change == "removed" or not is_runtime or bool(refused_in(change))


def _of_all(report: Report, new: Sequence[Finding], others: Sequence[Change]) -> Iterator[Conclusion]:
    """What is concluded from more than single jobs."""
    yield Conclusion.SAFE
    if any(problem.side == "new" for problem in report.problems):
        yield Conclusion.UNBUILT
    if report.problems or report.difference.incomplete:
        yield Conclusion.UNKNOWN
    if any(refused_in(change) for change in report.difference.changes):
        yield Conclusion.REFUSED
    if any(result.severity is Severity.ERROR for result in new):
        yield Conclusion.ERRORS
    if others:
        yield Conclusion.CHANGES
