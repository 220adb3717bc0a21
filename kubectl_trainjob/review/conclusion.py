"""The verdict on a whole review."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from kubectl_trainjob.diff.changes import JobId
from kubectl_trainjob.diff.refused import refused_in
from kubectl_trainjob.diff.told import Report
from kubectl_trainjob.findings.results import LintReport, Result
from kubectl_trainjob.findings.rule import Severity
from kubectl_trainjob.review.rows import rows_of
from kubectl_trainjob.review.told import Conclusion, JobRow, Outcome, Review

_OF_OUTCOMES = (
    (Conclusion.RERUNS, (Outcome.RERUNS,)),
    (Conclusion.ENDS, (Outcome.ENDS, Outcome.SUSPENDS)),
    (Conclusion.UNKNOWN, (Outcome.UNKNOWN,)),
    (Conclusion.CHANGES, (Outcome.CHANGES,)),
)


def review_of(
    report: Report, lint: LintReport, results: Mapping[JobId, Sequence[Result]], of_updates: Container[str]
) -> Review:
    """The review of a difference and of what is new wrong; `results` has the findings of each TrainJob.

    `of_updates` are the ids of the rules that tell of refused updates: here the difference tells of them already.
    """
    new = [result for result in lint.results if result.rule.id not in of_updates]
    known = set(new)
    of_jobs = {job: [each for each in found if each in known] for job, found in results.items()}
    rows = rows_of(report.difference, of_jobs)
    return Review(report, lint, tuple(new), rows, _conclusion(report, new, rows))


def _conclusion(report: Report, new: Sequence[Result], rows: Sequence[JobRow]) -> Conclusion:
    if any(problem.side == "new" for problem in report.problems):
        return Conclusion.UNBUILT
    if any(refused_in(change) for change in report.difference.changes):
        return Conclusion.REFUSED
    if any(result.rule.severity is Severity.ERROR for result in new):
        return Conclusion.ERRORS
    outcomes = {row.outcome for row in rows}
    for conclusion, some in _OF_OUTCOMES:
        if outcomes.intersection(some):
            return conclusion
    return Conclusion.UNKNOWN if report.problems or report.difference.incomplete else Conclusion.SAFE
