"""The headline of a review: the verdict on the whole, what it rests on, and what else there is to say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.diff.headline import Headline as DifferenceHeadline
from kubectl_trainjob.report.diff.headline import headline
from kubectl_trainjob.report.diff.numbers import joined
from kubectl_trainjob.report.finding_lines import counted
from kubectl_trainjob.report.grouped import merged
from kubectl_trainjob.report.review.words import Weight
from kubectl_trainjob.report.sentence import Data, Sentence, in_short, plural
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
    (Outcome.STUCK, "{} would be stuck"),
    (Outcome.RERUNS, "{} would run again"),
    (Outcome.ENDS, "{} would end"),
    (Outcome.SUSPENDS, "{} would be suspended"),
    (Outcome.CHANGES, "{} would change in place"),
    (Outcome.STARTS, "{} would start"),
)
# What the verdict has said before: `refused: 2 updates while running`.
_SAID: Mapping[Conclusion, str] = MappingProxyType(
    {
        Conclusion.UNBUILT: r" cannot be built| new\b",
        Conclusion.REFUSED: r" (?:is|are) refused",
        Conclusion.ERRORS: r" new errors?",
        Conclusion.RERUNS: r" would run again",
        Conclusion.ENDS: r" would end",
        Conclusion.CHANGES: r" would change in place",
    }
)


class Headline(NamedTuple):
    """The verdict on the whole in a few words, `why`, and what else there is to say, worst first: what is `bad`, and
    all `others`.
    """

    weight: Weight
    verdict: str
    why: Sentence
    bad: tuple[Sentence, ...]
    others: tuple[Sentence, ...]

    def first(self) -> Sentence:
        """`refused: 2 updates while running`."""
        return (f"{self.verdict}: ", *self.why) if self.why else (self.verdict,)

    def in_line(self) -> Sentence:
        """`refused: 2 updates while running; 1 new error; 3 TrainJobs change; +8 nvidia.com/gpu`."""
        return joined([self.first(), *self.bad, *self.others], "; ")


def difference_of(review: Review) -> Report:
    """The difference without the problems of the new side that are told as findings."""
    found = {(each.rule.id, each.position.path, each.position.span.line) for each in review.results}
    problems = (
        each
        for each in review.report.problems
        if each.side == "old" or (each.rule, each.at.file, each.at.line) not in found
    )
    return replace(review.report, problems=tuple(problems))


def headline_of(review: Review) -> Headline:
    """The headline of a review. What the verdict rests on stands behind it and nowhere else."""
    told = headline(difference_of(review))
    weight, verdict = _VERDICTS[review.conclusion]
    errors, milder = _counted(review, is_error=True), _counted(review, is_error=False)
    outcomes = dict(_outcomes(review))
    told = told._replace(lacks=joined(list(filter(None, (told.lacks, _left_out(review))))))
    why = _why(review, told, errors, outcomes)
    bad = (told.lacks, *told.bad, errors)
    others = (*outcomes.values(), told.first, milder, *told.others)
    left_bad, left = (tuple(part for part in parts if part and part not in why) for parts in (bad, others))
    return Headline(weight, verdict, _briefly(joined(why), review.conclusion), left_bad, left)


def _left_out(review: Review) -> Sentence:
    """`overlays/eu and 2 more overlays are reviewed only when named with -f`; empty where none is left out."""
    if not review.left_out:
        return ()
    first, more = review.left_out[0], len(review.left_out) - 1
    words = f" and {plural(more, 'more overlay')} are" if more else " is"
    return Data(in_short(first)), f"{words} reviewed only when named with -f"


def repeated(review: Review) -> str:
    """What to know of rows that tell of one manifest; "" where there is none."""
    if not review.repeated or not review.rows:
        return ""
    verb = "counts" if review.repeated == 1 else "count"
    jobs = plural(review.repeated, "TrainJob")
    return f"{jobs} {verb} as plain, and for each overlay that lists them; name what is deployed with -f"


def _counted(review: Review, *, is_error: bool) -> Sentence:
    """`2 new errors`, or what is milder; empty for none."""
    severities = (each.severity for each in merged(review.results))
    told = counted((each for each in severities if (each is Severity.ERROR) == is_error), "new ")
    return (told,) if told else ()


def _outcomes(review: Review) -> Iterator[tuple[Outcome, Sentence]]:
    for outcome, words in _OUTCOMES:
        count = review.count(outcome)
        if count:
            yield outcome, (words.format(plural(count, "job")),)


def _why(
    review: Review, told: DifferenceHeadline, errors: Sentence, outcomes: Mapping[Outcome, Sentence]
) -> list[Sentence]:
    """What the verdict rests on."""
    found: list[Sentence] = []
    if review.conclusion in (Conclusion.UNBUILT, Conclusion.UNKNOWN):
        found = [told.lacks or errors]
    elif review.conclusion is Conclusion.REFUSED:
        found = [*told.bad]
    elif review.conclusion is Conclusion.ERRORS:
        found = [errors]
    found += [outcomes[outcome] for outcome in OUTCOMES.get(review.conclusion, ()) if outcome in outcomes]
    if review.conclusion is Conclusion.CHANGES and review.others:
        found.append(told.objects)
    return list(filter(None, found)) or [told.first]


def _briefly(why: Sentence, conclusion: Conclusion) -> Sentence:
    """Without the words that the verdict has."""
    said = _SAID.get(conclusion)
    return tuple(re.sub(said, "", each) if said and isinstance(each, str) else each for each in why)
