"""The summary line of a review: the verdict, its reasons, and other statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kubectl_trainjob.model.message import Message, joined, plural, say, truncate
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.blocks import SummaryLine, Weight
from kubectl_trainjob.report.diff.summary_line import lacks, points, rejected
from kubectl_trainjob.report.findings import counted, group_findings
from kubectl_trainjob.review.diff.view import Report
from kubectl_trainjob.review.result import Impact, Review, ReviewVerdict
from kubectl_trainjob.review.verdict import DECISIVE_IMPACTS, ends_trials

_VERDICTS: Mapping[ReviewVerdict, tuple[Weight, str]] = {
    ReviewVerdict.UNBUILT: ("bad", "cannot be built"),
    ReviewVerdict.REJECTED: ("bad", "rejected"),
    ReviewVerdict.ERRORS: ("bad", "new errors"),
    ReviewVerdict.RERUNS: ("doubtful", "would run again"),
    ReviewVerdict.ENDS: ("doubtful", "ends running jobs"),
    ReviewVerdict.UNKNOWN: ("doubtful", "incomplete"),
    ReviewVerdict.CHANGES: ("doubtful", "changes live jobs"),
    ReviewVerdict.SAFE: ("good", "safe"),
}
_OTHER_CHANGES = "changes other objects"
"""The words of a verdict CHANGES where no job changes in place."""
_IMPACTS = (
    (Impact.STUCK, "would be stuck"),
    (Impact.RERUNS, "would run again"),
    (Impact.ENDS, "would end"),
    (Impact.SUSPENDS, "would be suspended"),
    (Impact.CHANGES, "would change in place"),
    (Impact.STARTS, "would start"),
)

_Point = tuple[Message, Message]
"""A statement, and a brief form for use after a verdict."""


def difference_of(review: Review) -> Report:
    """The difference without the errors of the head that are among the findings."""
    found = {each.fingerprint for each in review.results}
    problems = tuple(each for each in review.report.problems if each.side == "old" or each.fingerprint not in found)
    return replace(review.report, problems=problems)


def summary_line_of(review: Review) -> SummaryLine:
    """`rejected: 2 updates while running; 1 new error; 3 TrainJobs change; +8 nvidia.com/gpu`.

    The reasons of the verdict follow it, and are not repeated.
    """
    report = difference_of(review)
    difference = points(report)
    unknown = joined(filter(None, (difference.lacks, _skipped_overlays(review))))
    errors = _count(review, is_error=True)
    impacts = dict(_impacts(review))
    why = list(_why(review, report, impacts)) or [(difference.first, difference.first)]
    said = [full for full, _ in why]
    bad = (unknown, *difference.bad, errors)
    others = [full for full, _ in impacts.values()]
    others += (difference.first, _count(review, is_error=False), *difference.others)
    left_bad, left = (tuple(part for part in parts if part and part not in said) for parts in (bad, others))
    weight, words = _VERDICTS[review.verdict]
    if review.verdict is ReviewVerdict.CHANGES and Impact.CHANGES not in impacts:
        words = _OTHER_CHANGES
    first = say("{}: {}", Message(words), joined(brief for _, brief in why))
    return SummaryLine(first, (truncate(report.old), truncate(report.new)), Message(), left_bad, left, weight)


def _why(review: Review, report: Report, impacts: Mapping[Impact, _Point]) -> Iterator[_Point]:
    """The reasons of the verdict."""
    verdict, skipped = review.verdict, _skipped_overlays(review)
    errors = _count(review, is_error=True)
    if verdict in (ReviewVerdict.UNBUILT, ReviewVerdict.UNKNOWN):
        is_brief = verdict is ReviewVerdict.UNBUILT
        parts = lacks(report), lacks(report, is_brief=is_brief)
        full, brief = (joined(filter(None, (part, skipped))) for part in parts)
        if full:
            yield full, brief
        elif errors:
            yield (errors, errors if verdict is ReviewVerdict.UNKNOWN else _count(review, is_error=True, adjective=""))
    elif verdict is ReviewVerdict.REJECTED:
        yield from zip(rejected(report), rejected(report, is_brief=True), strict=True)
    elif verdict is ReviewVerdict.ERRORS and errors:
        yield errors, say("{}", sum(each.severity is Severity.ERROR for each in group_findings(review.results)))
    for impact in DECISIVE_IMPACTS.get(verdict, ()):
        if impact in impacts:
            full, brief = impacts[impact]
            yield full, brief if impact == verdict.value else full
    searches = sum(map(ends_trials, review.others))
    if verdict is ReviewVerdict.ENDS and searches:
        yield (say("the trials of {} would end", plural(searches, "Experiment")),) * 2
    objects = points(report).objects
    if verdict is ReviewVerdict.CHANGES and review.others and objects:
        yield objects, objects if Impact.CHANGES in impacts else plural(len(review.others), "object")


def _skipped_overlays(review: Review) -> Message:
    """`overlays/eu and 2 more overlays are reviewed only if passed with -f`; empty if all are reviewed."""
    if not review.unread_overlays:
        return Message()
    first, more = review.unread_overlays[0], len(review.unread_overlays) - 1
    which = say("{} and {} are", first, plural(more, "more overlay")) if more else say("{} is", first)
    return say("{} reviewed only if passed with {}", which, "-f")


def _count(review: Review, *, is_error: bool, adjective: str = "new ") -> Message:
    """`2 new errors`, or what has a lower severity; empty for none."""
    severities = (each.severity for each in group_findings(review.results))
    return counted((each for each in severities if (each is Severity.ERROR) == is_error), adjective)


def _impacts(review: Review) -> Iterator[tuple[Impact, _Point]]:
    for impact, words in _IMPACTS:
        count = review.count(impact)
        if count:
            jobs = plural(count, "job")
            yield impact, (say("{} {}", jobs, Message(words)), jobs)
