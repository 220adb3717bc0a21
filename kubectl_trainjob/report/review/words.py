"""What every format says of a job in the same words: the cells of its row."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.updates.verdict import STATES
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.blocks import Badge, Weight
from kubectl_trainjob.report.diff.numbers import amount
from kubectl_trainjob.report.diff.words import Jobs, called
from kubectl_trainjob.report.grouped import counted
from kubectl_trainjob.report.sentence import Data, Sentence, in_short, joined, listed
from kubectl_trainjob.review.diff.changes import Sizes, Totals
from kubectl_trainjob.review.diff.gpus import gpus
from kubectl_trainjob.review.view import JobRow, Outcome

HEAD = ("job", "change", "verdict", "GPUs", "world size", "new findings")
_NOBODY_KNOWS = "?"

_OUTCOMES: Mapping[Outcome, tuple[Weight, str]] = MappingProxyType(
    {
        Outcome.UNBUILT: ("bad", "cannot be built"),
        Outcome.REFUSED: ("bad", "refused"),
        Outcome.STUCK: ("bad", "is stuck"),
        Outcome.UNKNOWN: ("doubtful", "not known"),
        Outcome.RERUNS: ("doubtful", "runs again"),
        Outcome.ENDS: ("doubtful", "ends"),
        Outcome.SUSPENDS: ("doubtful", "is suspended"),
        Outcome.CHANGES: ("doubtful", "changes in place"),
        Outcome.STARTS: ("good", "starts"),
        Outcome.NEW: ("good", "new"),
        Outcome.KEPT: ("good", "its run stays"),
    }
)


def name(row: JobRow, jobs: Jobs) -> Sentence:
    """The job, with its overlay where several build one of that name; a JobSet says that it is one."""
    identity, overlay = row.job
    if role_of(identity) is KindRole.TRAINING_JOB:
        return jobs.told([row.job])[0]
    told: Sentence = (Data(f"{identity.kind}/{called(identity)}"),)
    return (*told, " (", Data(in_short(overlay)), ")") if overlay else told


def change(row: JobRow) -> Sentence:
    """What the files do to the job."""
    if row.former is None:
        return ("not compared",) if row.change == "unknown" else (row.change,)
    same = row.former.identity.namespace == row.job.identity.namespace
    former = in_short(row.former.identity.name) if same else called(row.former.identity)
    return "renamed from ", Data(former)


def verdict(row: JobRow) -> Badge:
    """What becomes of the job, and how that is marked: worse where something new is wrong with it."""
    weight, words = _OUTCOMES[row.outcome]
    if (row.outcome is Outcome.REFUSED and 1 < len(row.refused) < len(STATES)) or row.refused == ("running",):
        words = f"{words} while {listed([*row.refused], 'or')}"
    severities = {result.severity for result in row.results}
    if Severity.ERROR in severities:
        return Badge("bad", words)
    return Badge("doubtful" if weight == "good" and Severity.WARNING in severities else weight, words)


def gpu_cell(sizes: Sizes) -> Sentence:
    """`8 → 16`; with the devices' names where there are several."""
    before, after = (gpus(side) if side else {} for side in sizes)
    names = sorted({*before, *after})
    if not names:
        return (_becomes(*(_NOBODY_KNOWS if side is None else "0" for side in sizes)),) if any(sizes) else ()
    return joined([_gpus(name, sizes, len(names) > 1) for name in names])


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
    return counted(result.severity for result in row.results)
