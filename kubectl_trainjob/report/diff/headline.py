"""The headline of a difference: what is not known, what changes, what is refused, what moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubectl_trainjob.kube.updates.verdict import STATES
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.report.blocks import Headline
from kubectl_trainjob.report.diff.numbers import counted, numbers
from kubectl_trainjob.report.sentence import Data, Sentence, in_short, joined, plural
from kubectl_trainjob.review.diff.changes import Incomplete, Summary
from kubectl_trainjob.review.diff.refused import has_states, refused_in
from kubectl_trainjob.review.diff.view import Report

_MOST_MOVED = 4  # overlays in the headline
_MOST_DIFFERENCES = 6  # resources in the headline


class Points(NamedTuple):
    """What a headline says: why something is not known (`lacks`), what changes `first` (`3 TrainJobs change`), what is
    `bad`, what else there is; among the latter the `objects` that belong to no job.
    """

    lacks: Sentence
    first: Sentence
    bad: tuple[Sentence, ...]
    others: tuple[Sentence, ...]
    objects: Sentence = ()


def headline(report: Report) -> Headline:
    """The headline of a report."""
    lacks, first, bad, others, _ = points(report)
    unknown: Sentence = ("not all is known: ", *lacks) if lacks else ()
    return Headline(first, (in_short(report.old), in_short(report.new)), unknown, bad, others)


def points(report: Report) -> Points:
    """What the headline of a report says."""
    changes = [each.change for each in report.objects]
    unknown = lacks(report)
    nothing = "no difference is known" if unknown else "nothing differs"
    first = _train_jobs(report) or ("no TrainJob changes" if changes else nothing)
    others = sum(change.job is None for change in changes)
    objects = (plural(others, "other object differs", "other objects differ"),) if others else ()
    moved = [("overlay ", Data(in_short(old)), " is now ", Data(in_short(new))) for old, new in report.difference.moved]
    told = (_differences(report.difference.summary), objects, *moved[:_MOST_MOVED])
    return Points(unknown, (first,), tuple(refused(report)), tuple(filter(None, told)), objects)


def lacks(report: Report, cannot_be_built: str = " cannot be built") -> Sentence:
    """`8 TrainJobs cannot be built`; empty where all is known."""
    unbuilt, problems = len(report.difference.unbuilt), len(report.problems)
    parts: list[Sentence] = []
    if unbuilt:
        parts.append((f"{plural(unbuilt, 'TrainJob')}{cannot_be_built}",))
    if report.difference.incomplete:
        parts.append(_unread(report.difference.incomplete))
    if problems:
        parts.append((plural(problems, "error") + " in the files",))
    return joined(parts)


def _unread(incomplete: Sequence[Incomplete]) -> Sentence:
    overlays = [unit.overlay for unit in incomplete if unit.overlay]
    if len(overlays) < len(incomplete):
        return ("not all files can be read",)
    only = (Data(in_short(overlays[0])), " cannot be read in full") if len(overlays) == 1 else ()
    return only or (f"{len(overlays)} overlays cannot be read in full",)


def only_new_runs(report: Report) -> list[JobId]:
    """The changed TrainJobs that are printed as they were: what they would become anew is something else."""
    printed = {(change.job, change.overlay) for change in report.difference.changes}
    return [job for job in report.difference.summary.changed if tuple(job) not in printed]


def _train_jobs(report: Report) -> str:
    """`3 TrainJobs change, 1 is renamed, 2 are added`."""
    summary = report.difference.summary
    told: list[str] = []
    new_runs = len(only_new_runs(report))
    for count, one, many in _counts(summary, new_runs):
        if count:
            noun = "" if told else " TrainJob" if count == 1 else " TrainJobs"
            told.append(f"{count}{noun} {one if count == 1 else many}")
    if new_runs:
        told.append(f"new runs of {new_runs if told else plural(new_runs, 'TrainJob')} would change")
    return ", ".join(told)


def _counts(summary: Summary, new_runs: int) -> Iterator[tuple[int, str, str]]:
    renamed = {each for names in summary.renamed for each in names}
    yield len(summary.changed) - new_runs, "changes", "change"
    yield len(summary.renamed), "is renamed", "are renamed"
    yield sum(each not in renamed for each in summary.added), "is added", "are added"
    yield sum(each not in renamed for each in summary.removed), "is removed", "are removed"


def refused(report: Report, *, is_brief: bool = False) -> Iterator[Sentence]:
    """`2 updates are refused while running`, in brief `2 updates while running`."""
    changes = [each.change for each in report.objects if refused_in(each.change)]
    simply = [change for change in changes if not has_states(change) or len(refused_in(change)) == len(STATES)]
    running = [change for change in changes if "running" in refused_in(change) and change not in simply]
    verbs = ("", "") if is_brief else (" is refused", " are refused")
    for count, words in (
        (len(simply), ""),
        (len(running), " while running"),
        (len(changes) - len(running) - len(simply), " in other states"),
    ):
        if count:
            yield (f"{plural(count, f'update{verbs[0]}', f'updates{verbs[1]}')}{words}",)


def _differences(summary: Summary) -> Sentence:
    """`+2 Pods, +16 nvidia.com/gpu`."""
    told = numbers(summary.before, summary.after)
    found = [counted(each, each.difference) for each in told if each.difference and each.is_device]
    more = ((f"{len(found) - _MOST_DIFFERENCES} more",),) if len(found) > _MOST_DIFFERENCES else ()
    return joined([*found[:_MOST_DIFFERENCES], *more])
