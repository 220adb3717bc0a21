"""What a review says. All are immutable; texts are as the files have them, safe for no output yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from kubectl_trainjob.kube.updates.verdict import State
from kubectl_trainjob.model.finding import Finding, LintReport
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.review.diff.changes import Change, Sizes
from kubectl_trainjob.review.diff.view import Report


class Outcome(StrEnum):
    """What becomes of one job when the change is applied, worst first."""

    UNBUILT = "unbuilt"  # the new side cannot build it, and it is new or the old one can
    REFUSED = "refused"
    STUCK = "stuck"  # the TrainJob is accepted, and its JobSet cannot follow
    UNKNOWN = "unknown"  # the old side cannot build it, both cannot, or could not be read in full
    RERUNS = "reruns"  # its run ends, and one begins from the start under another name or kind
    ENDS = "ends"
    SUSPENDS = "suspends"
    CHANGES = "changes"  # in place, in a run that goes on
    STARTS = "starts"
    NEW = "new"
    KEPT = "kept"  # what lives stays as it is; only a run that begins later is another one


class Conclusion(StrEnum):
    """The verdict on the whole, worst first."""

    UNBUILT = "unbuilt"  # something new cannot be built
    REFUSED = "refused"
    ERRORS = "errors"  # new findings that are errors
    RERUNS = "reruns"
    ENDS = "ends"
    UNKNOWN = "unknown"  # the old side cannot be built in full, or both cannot
    CHANGES = "changes"  # in place, or another object that jobs may need
    SAFE = "safe"


class JobRow(NamedTuple):
    """One job that differs: a TrainJob, or a JobSet that is none's.

    `refused` are the states in which an update is refused, `former` is the job whose run ends for this one. `results`
    are its new findings.
    """

    job: JobId
    change: Literal["added", "removed", "changed", "renamed", "unknown"]
    outcome: Outcome
    sizes: Sizes = Sizes(None, None)
    refused: tuple[State, ...] = ()
    former: JobId | None = None
    results: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """The difference, what is new wrong, the jobs worst first, and the verdict.

    `results` are those of `lint` that do not tell of refused updates: the difference does that. `others` are changes of
    objects that are no job's and may matter to one: no added ones, no runtimes that live jobs do not follow.
    `left_out` are overlays below what was named that nobody looked at, `repeated` counts the TrainJobs that count for
    themselves and for each overlay that lists them.
    """

    report: Report
    lint: LintReport
    results: tuple[Finding, ...]
    rows: tuple[JobRow, ...]
    others: tuple[Change, ...]
    conclusion: Conclusion
    left_out: tuple[str, ...] = ()
    repeated: int = 0

    def count(self, *outcomes: Outcome) -> int:
        """How many jobs have one of the outcomes."""
        return sum(row.outcome in outcomes for row in self.rows)

    @property
    def is_broken(self) -> bool:
        """Whether a cluster refuses an update, or something new cannot be built."""
        return self.conclusion in (Conclusion.UNBUILT, Conclusion.REFUSED)
