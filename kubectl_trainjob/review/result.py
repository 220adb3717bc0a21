"""The result of a review. All values are immutable; texts are as in the files, and not yet safe for any output."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from kubectl_trainjob.kube.updates.result import State
from kubectl_trainjob.model.finding import Finding, LintReport
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.review.diff.changes import Change, Sizes
from kubectl_trainjob.review.diff.view import Report


class Impact(StrEnum):
    """The effect on one job when the change is applied, the most severe first."""

    UNBUILT = "unbuilt"  # the head cannot build it; it is new, or the base can
    REJECTED = "refused"
    STUCK = "stuck"  # the TrainJob is accepted, but its JobSet cannot follow
    UNKNOWN = "unknown"  # the base or base and head cannot build it, or were not read fully
    RERUNS = "reruns"  # its run ends, and starts again under another name or kind
    ENDS = "ends"
    SUSPENDS = "suspends"
    CHANGES = "changes"  # in place; the run continues
    STARTS = "starts"
    NEW = "new"
    KEPT = "kept"  # live objects do not change; only later runs differ


class ReviewVerdict(StrEnum):
    """The verdict on the whole, the most severe first."""

    UNBUILT = "unbuilt"  # a new or changed object cannot be built
    REJECTED = "refused"
    ERRORS = "errors"  # new findings that are errors
    RERUNS = "reruns"
    ENDS = "ends"
    UNKNOWN = "unknown"  # the base or base and head cannot be built fully
    CHANGES = "changes"  # in place, or another object that jobs may need
    SAFE = "safe"


class JobRow(NamedTuple):
    """One job that differs: a TrainJob, or a JobSet of the inputs.

    `rejected_in` are the states in which an update is rejected. `former` is the job that ends when this one starts.
    `results` are its new findings.
    """

    job: JobId
    change: Literal["added", "removed", "changed", "renamed", "unknown"]
    impact: Impact
    sizes: Sizes = Sizes(None, None)
    rejected_in: tuple[State, ...] = ()
    former: JobId | None = None
    results: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """The difference, the new findings, the jobs by impact, and the verdict.

    `results` are the findings of `lint` except those about rejected updates, which the difference has. `others` are
    changes of objects that belong to no job and may affect one: no added ones, no runtimes that live jobs do not
    follow. `unread_overlays` are overlays in the given directories that were not checked.
    """

    report: Report
    lint: LintReport
    results: tuple[Finding, ...]
    rows: tuple[JobRow, ...]
    others: tuple[Change, ...]
    verdict: ReviewVerdict
    unread_overlays: tuple[str, ...] = ()

    def count(self, *impacts: Impact) -> int:
        """How many jobs have one of the impacts."""
        return sum(row.impact in impacts for row in self.rows)

    @property
    def is_broken(self) -> bool:
        """Whether a cluster rejects an update, or a new or changed object cannot be built."""
        return self.is_at_least(ReviewVerdict.REJECTED)

    def is_at_least(self, verdict: str) -> bool:
        """Whether the verdict is this one or a more severe one."""
        order = list(ReviewVerdict)
        return order.index(self.verdict) <= order.index(ReviewVerdict(verdict))
