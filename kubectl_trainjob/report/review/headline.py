"""The headline of a review: the verdict on the whole, what it depends on, and what else there is to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.blocks import Headline, Weight
from kubectl_trainjob.report.diff.headline import lacks, points, refused
from kubectl_trainjob.report.grouped import counted, group_findings
from kubectl_trainjob.report.sentence import Data, Sentence, in_short, joined, plural
from kubectl_trainjob.review.conclusion import OUTCOMES
from kubectl_trainjob.review.diff.view import Report
from kubectl_trainjob.review.view import Conclusion, Outcome, Review

_VERDICTS: Mapping[Conclusion, tuple[Weight, str]] = MappingProxyType(
    {
        Conclusion.UNBUILT: ("bad", "cannot be built"),
        Conclusion.REFUSED: ("bad", "refused"),
        Conclusion.ERRORS: ("bad", "new errors"),
        Conclusion.RERUNS: ("doubtful", "would run again"),
        Conclusion.ENDS: ("doubtful", "ends running jobs"),
        Conclusion.UNKNOWN: ("doubtful", "not all is known"),
        Conclusion.CHANGES: ("doubtful", "changes what runs"),
        Conclusion.SAFE: ("good", "safe"),
    }
)
_OUTCOMES = (
    (Outcome.STUCK, "would be stuck"),
    (Outcome.RERUNS, "would run again"),
    (Outcome.ENDS, "would end"),
    (Outcome.SUSPENDS, "would be suspended"),
    (Outcome.CHANGES, "would change in place"),
    (Outcome.STARTS, "would start"),
)

_Point = tuple[Sentence, Sentence]
"""What is to be said, and the same in brief behind a verdict that says the rest."""


def difference_of(review: Review) -> Report:
    """The difference without the errors of the new side that are among the findings."""
    found = {(each.rule.id, each.position.path, each.position.span.line) for each in review.results}
    problems = (
        each
        for each in review.report.problems
        if each.side == "old" or (each.rule, each.at.file, each.at.line) not in found
    )
    return replace(review.report, problems=tuple(problems))


def headline_of(review: Review) -> Headline:
    """`refused: 2 updates while running; 1 new error; 3 TrainJobs change; +8 nvidia.com/gpu`.

    What the verdict depends on follows it and is said nowhere else.
    """
    report = difference_of(review)
    told = points(report)
    unknown = joined(list(filter(None, (told.lacks, _left_out(review)))))
    errors = _counted(review, is_error=True)
    outcomes = dict(_outcomes(review))
    why = list(_why(review, report, outcomes)) or [(told.first, told.first)]
    said = [full for full, _ in why]
    bad = (unknown, *told.bad, errors)
    others = (*(full for full, _ in outcomes.values()), told.first, _counted(review, is_error=False), *told.others)
    left_bad, left = (tuple(part for part in parts if part and part not in said) for parts in (bad, others))
    weight, verdict = _VERDICTS[review.conclusion]
    first = (f"{verdict}: ", *joined([brief for _, brief in why]))
    return Headline(first, (in_short(report.old), in_short(report.new)), (), left_bad, left, weight)


def _why(review: Review, report: Report, outcomes: Mapping[Outcome, _Point]) -> Iterator[_Point]:
    """What the verdict depends on."""
    conclusion, left_out = review.conclusion, _left_out(review)
    errors = _counted(review, is_error=True)
    if conclusion in (Conclusion.UNBUILT, Conclusion.UNKNOWN):
        words = " cannot be built" if conclusion is Conclusion.UNKNOWN else ""
        full, brief = (joined([*filter(None, (part, left_out))]) for part in (lacks(report), lacks(report, words)))
        if full:
            yield full, brief
        elif errors:
            yield errors, errors if conclusion is Conclusion.UNKNOWN else _counted(review, is_error=True, adjective="")
    elif conclusion is Conclusion.REFUSED:
        yield from zip(refused(report), refused(report, is_brief=True), strict=True)
    elif conclusion is Conclusion.ERRORS and errors:
        yield errors, (str(sum(each.severity is Severity.ERROR for each in group_findings(review.results))),)
    for outcome in OUTCOMES.get(conclusion, ()):
        if outcome in outcomes:
            full, brief = outcomes[outcome]
            yield full, brief if outcome == conclusion.value else full
    objects = points(report).objects
    if conclusion is Conclusion.CHANGES and review.others and objects:
        yield objects, objects


def _left_out(review: Review) -> Sentence:
    """`overlays/eu and 2 more overlays are reviewed only when named with -f`; empty where none is left out."""
    if not review.left_out:
        return ()
    first, more = review.left_out[0], len(review.left_out) - 1
    words = f" and {plural(more, 'more overlay')} are" if more else " is"
    return Data(in_short(first)), f"{words} reviewed only when named with ", Data("-f")


def repeated(review: Review) -> Sentence:
    """What to know of rows that are about one manifest; empty where none are."""
    if not review.repeated or not review.rows:
        return ()
    verb = "counts" if review.repeated == 1 else "count"
    words = f"{verb} as plain, and for each overlay that lists them; pass what is deployed with "
    return f"{plural(review.repeated, 'TrainJob')} {words}", Data("-f"), "."


def _counted(review: Review, *, is_error: bool, adjective: str = "new ") -> Sentence:
    """`2 new errors`, or what has a lower severity; empty for none."""
    severities = (each.severity for each in group_findings(review.results))
    told = counted((each for each in severities if (each is Severity.ERROR) == is_error), adjective)
    return (told,) if told else ()


def _outcomes(review: Review) -> Iterator[tuple[Outcome, _Point]]:
    for outcome, words in _OUTCOMES:
        count = review.count(outcome)
        if count:
            yield outcome, ((f"{plural(count, 'job')} {words}",), (plural(count, "job"),))
