"""What every format says of a review in the same words: the verdict, and the cells of a job's row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, NamedTuple

from kubectl_trainjob.api.quantity import Quantity
from kubectl_trainjob.diff.changes import Sizes, Totals
from kubectl_trainjob.diff.gpus import gpus
from kubectl_trainjob.diff.told import Report
from kubectl_trainjob.report.finding_lines import counted
from kubectl_trainjob.report.headline import Headline as DifferenceHeadline
from kubectl_trainjob.report.headline import headline
from kubectl_trainjob.report.numbers import amount, joined
from kubectl_trainjob.report.sentence import Data, Sentence, in_short, listed, plural
from kubectl_trainjob.report.words import Jobs, called
from kubectl_trainjob.review.told import Conclusion, JobRow, Outcome, Review
from kubectl_trainjob.verdict.verdict import STATES

Weight = Literal["bad", "doubtful", "good"]
"""How a verdict is marked."""

HEAD = ("TrainJob", "change", "verdict", "GPUs", "world size", "new findings")
_NOBODY_KNOWS = "?"

CONCLUSIONS: Mapping[Conclusion, tuple[Weight, str]] = MappingProxyType(
    {
        Conclusion.UNBUILT: ("bad", "cannot be built"),
        Conclusion.REFUSED: ("bad", "refused"),
        Conclusion.ERRORS: ("bad", "new errors"),
        Conclusion.RERUNS: ("doubtful", "would run again"),
        Conclusion.ENDS: ("doubtful", "ends running jobs"),
        Conclusion.UNKNOWN: ("doubtful", "not all is known"),
        Conclusion.CHANGES: ("doubtful", "changes running jobs"),
        Conclusion.SAFE: ("good", "safe"),
    }
)
"""What the verdicts on the whole are called."""

_OUTCOMES: Mapping[Outcome, tuple[Weight, str]] = MappingProxyType(
    {
        Outcome.UNKNOWN: ("bad", "not known"),
        Outcome.REFUSED: ("bad", "refused"),
        Outcome.RERUNS: ("doubtful", "runs again"),
        Outcome.ENDS: ("doubtful", "ends"),
        Outcome.SUSPENDS: ("doubtful", "is suspended"),
        Outcome.CHANGES: ("doubtful", "changes in place"),
        Outcome.STARTS: ("good", "starts"),
        Outcome.NEW: ("good", "new"),
        Outcome.KEPT: ("good", "only new runs"),
    }
)
_REASONS: Mapping[Conclusion, tuple[Outcome, ...]] = MappingProxyType(
    {
        Conclusion.RERUNS: (Outcome.RERUNS,),
        Conclusion.ENDS: (Outcome.ENDS, Outcome.SUSPENDS),
        Conclusion.CHANGES: (Outcome.CHANGES,),
    }
)
_COUNTED = (
    (Outcome.RERUNS, "{} would run again"),
    (Outcome.ENDS, "{} would end"),
    (Outcome.SUSPENDS, "{} would be suspended"),
    (Outcome.CHANGES, "{} would change in place"),
    (Outcome.STARTS, "{} would start"),
)


class Headline(NamedTuple):
    """The verdict on the whole in one or two words, `why`, and what else there is to say, worst first."""

    weight: Weight
    verdict: str
    why: Sentence
    others: tuple[Sentence, ...]

    def first(self) -> Sentence:
        """`refused: 2 updates are refused while running`."""
        return (f"{self.verdict}: ", *self.why) if self.why else (self.verdict,)

    def in_line(self) -> Sentence:
        """`refused: 2 updates are refused while running; 3 TrainJobs change; 1 new error; +8 nvidia.com/gpu`."""
        return joined([self.first(), *self.others], "; ")


def difference_of(review: Review) -> Report:
    """The difference without the problems that are told as findings."""
    found = {(each.rule.id, each.position.path, each.position.span.line) for each in review.lint.results}
    problems = review.report.problems
    return replace(review.report, problems=tuple(p for p in problems if (p.rule, p.at.file, p.at.line) not in found))


def headline_of(review: Review) -> Headline:
    """The headline of a review."""
    told = headline(difference_of(review))
    weight, verdict = CONCLUSIONS[review.conclusion]
    findings = ((counted(review.severities, "new "),),) if review.lint.results else ()
    outcomes = dict(_outcomes(review))
    why = _why(review.conclusion, told, findings, outcomes)
    parts = ((told.lacks,), told.bad, outcomes.values(), (told.first,), findings, told.others)
    others = (part for some in parts for part in some if part and part not in why)
    return Headline(weight, verdict, joined(list(filter(None, why)), ", "), tuple(others))


def _why(
    conclusion: Conclusion,
    told: DifferenceHeadline,
    findings: tuple[Sentence, ...],
    outcomes: Mapping[Outcome, Sentence],
) -> list[Sentence]:
    """What the verdict rests on."""
    if conclusion in (Conclusion.UNBUILT, Conclusion.UNKNOWN):
        return [told.lacks] if told.lacks else [*findings]
    if conclusion is Conclusion.REFUSED:
        return [*told.bad]
    if conclusion is Conclusion.ERRORS:
        return [*findings]
    of = _REASONS.get(conclusion, ())
    return [outcomes[outcome] for outcome in of if outcome in outcomes] or [told.first]


def _outcomes(review: Review) -> Iterator[tuple[Outcome, Sentence]]:
    for outcome, words in _COUNTED:
        count = review.count(outcome)
        if count:
            yield outcome, (words.format(plural(count, "job")),)


def name(row: JobRow, jobs: Jobs) -> Sentence:
    """The job, with its overlay where several build one of that name."""
    if row.job.identity.kind == "TrainJob":
        return jobs.told([row.job])[0]
    return (Data(f"{row.job.identity.kind}/{called(row.job.identity)}"),)


def change(row: JobRow) -> Sentence:
    """What the files do to the job."""
    if row.former is None:
        return ("not compared",) if row.change == "unknown" else (row.change,)
    same = row.former.identity.namespace == row.job.identity.namespace
    former = in_short(row.former.identity.name) if same else called(row.former.identity)
    return "renamed from ", Data(former)


def verdict(row: JobRow) -> tuple[Weight, str]:
    """What becomes of the job, and how that is marked."""
    weight, words = _OUTCOMES[row.outcome]
    if (row.outcome is Outcome.REFUSED and 1 < len(row.refused) < len(STATES)) or row.refused == ("running",):
        return weight, f"{words} while {listed([*row.refused], 'or')}"
    if row.outcome is Outcome.UNKNOWN and row.sizes.after:  # what it becomes is known, what it was is not
        return "doubtful", words
    if row.outcome is Outcome.KEPT and row.change == "removed":
        return weight, "was suspended"
    return weight, words


def gpu_cell(sizes: Sizes) -> Sentence:
    """`8 → 16`; with the devices' names where there are several."""
    before, after = (gpus(side) if side else {} for side in sizes)
    names = sorted({*before, *after})
    parts = [_gpus(name, sizes, len(names) > 1) for name in names]
    return joined(parts) if parts else ("0",) if any(sizes) else ()


def _gpus(name: str, sizes: Sizes, is_one_of_several: bool) -> Sentence:
    cells = [_amount(name, side) for side in sizes]
    told = _becomes(*cells)
    return (told, " ", Data(in_short(name))) if is_one_of_several else (told,)


def _amount(name: str, side: Totals | None) -> str:
    return _NOBODY_KNOWS if side is None else amount(name, gpus(side).get(name, Quantity.ZERO))


def size_cell(sizes: Sizes) -> str:
    """The processes before and after: `8 → 16`."""
    return _becomes(*map(_size, sizes)) if any(sizes) else ""


def _size(side: Totals | None) -> str:
    return _NOBODY_KNOWS if side is None or side.unsized else str(side.processes)


def _becomes(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def finding_cell(row: JobRow) -> str:
    """`1 error, 2 warnings`."""
    return counted(result.rule.severity for result in row.results)
