"""The cells of a job's row, in the same words for every format."""

from __future__ import annotations

from collections.abc import Mapping

from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.updates.result import STATES
from kubectl_trainjob.model.message import Message, joined, say
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.blocks import Badge, Weight
from kubectl_trainjob.report.diff.numbers import amount
from kubectl_trainjob.report.diff.words import JobNames, called, in_states
from kubectl_trainjob.report.findings import counted, group_findings
from kubectl_trainjob.review.diff.changes import Sizes, Totals
from kubectl_trainjob.review.diff.totals import gpus
from kubectl_trainjob.review.result import Impact, JobRow

_UNKNOWN = "?"

_IMPACTS: Mapping[Impact, tuple[Weight, str]] = {
    Impact.UNBUILT: ("bad", "cannot be built"),
    Impact.REJECTED: ("bad", "rejected"),
    Impact.STUCK: ("bad", "is stuck"),
    Impact.UNKNOWN: ("doubtful", "not known"),
    Impact.RERUNS: ("doubtful", "runs again"),
    Impact.ENDS: ("doubtful", "ends"),
    Impact.SUSPENDS: ("doubtful", "is suspended"),
    Impact.CHANGES: ("doubtful", "changes in place"),
    Impact.STARTS: ("good", "starts"),
    Impact.NEW: ("good", "new"),
    Impact.KEPT: ("good", "keeps its run"),
}


def name(row: JobRow, jobs: JobNames) -> Message:
    """The job, with its overlay where several build one of that name; a JobSet says that it is one."""
    identity, overlay = row.job
    if role_of(identity) is KindRole.TRAINING_JOB:
        return jobs.of([row.job])[0]
    shown = f"{identity.kind}/{called(identity)}"
    return say("{} ({})", shown, overlay) if overlay else say("{}", shown)


def change(row: JobRow) -> Message:
    """What the files do to the job."""
    if row.former is None:
        return Message("not compared" if row.change == "unknown" else row.change)
    same = row.former.identity.namespace == row.job.identity.namespace
    return say("renamed from {}", row.former.identity.name if same else called(row.former.identity))


def verdict(row: JobRow) -> Badge:
    """The impact on the job, and its mark: worse if the job has new findings."""
    weight, words = _IMPACTS[row.impact][0], Message(_IMPACTS[row.impact][1])
    if (row.impact is Impact.REJECTED and 1 < len(row.rejected_in) < len(STATES)) or row.rejected_in == ("running",):
        words = say("{} while {}", words, in_states(row.rejected_in))
    severities = {result.severity for result in row.results}
    if Severity.ERROR in severities:
        return Badge("bad", words)
    return Badge("doubtful" if weight == "good" and Severity.WARNING in severities else weight, words)


def gpu_cell(sizes: Sizes) -> Message:
    """`8 → 16`; with the devices' names where there are several."""
    before, after = (gpus(side) if side else {} for side in sizes)
    names = sorted({*before, *after})
    if not names:
        return _becomes(*(_UNKNOWN if side is None else "0" for side in sizes)) if any(sizes) else Message()
    return joined([_gpus(name, sizes, len(names) > 1) for name in names])


def _gpus(name: str, sizes: Sizes, is_one_of_several: bool) -> Message:
    amounts = _becomes(*(_amount(name, side) for side in sizes))
    return say("{} {}", amounts, name) if is_one_of_several else amounts


def _amount(name: str, side: Totals | None) -> str:
    return _UNKNOWN if side is None else amount(name, gpus(side).get(name, Quantity.ZERO))


def size_cell(sizes: Sizes) -> Message:
    """The processes before and after: `8 → 16`."""
    return _becomes(*map(_size, sizes)) if any(sizes) else Message()


def _size(side: Totals | None) -> str:
    return _UNKNOWN if side is None or side.unsized else str(side.processes)


def _becomes(before: str, after: str) -> Message:
    return Message(before if before == after else f"{before} → {after}")


def finding_cell(row: JobRow) -> Message:
    """`1 error, 2 warnings`; what several Pods of the job share counts once, as in the summary line."""
    return counted(each.severity for each in group_findings(row.results))
