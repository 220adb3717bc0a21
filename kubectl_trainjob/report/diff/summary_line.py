"""The summary line of a difference: unknown parts, changed TrainJobs, rejected updates, moved overlays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubectl_trainjob.kube.updates.result import STATES
from kubectl_trainjob.model.message import Message, joined, plural, say, truncate
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.report.blocks import SummaryLine
from kubectl_trainjob.report.diff.numbers import counted, numbers
from kubectl_trainjob.review.diff.changes import Incomplete, Summary, has_states, rejected_in
from kubectl_trainjob.review.diff.view import Report

_MOST_MOVED = 4  # overlays in the summary line
_MOST_DIFFERENCES = 6  # resources in the summary line


class Points(NamedTuple):
    """The parts of a summary line: what is unknown (`lacks`), the `first` statement (`3 TrainJobs change`), `bad` and
    other statements. `objects` counts changed objects without a job.
    """

    lacks: Message
    first: Message
    bad: tuple[Message, ...]
    others: tuple[Message, ...]
    objects: Message


def summary_line(report: Report) -> SummaryLine:
    """The summary line of a report."""
    lacks, first, bad, others, _ = points(report)
    unknown = say("incomplete: {}", lacks) if lacks else Message()
    return SummaryLine(first, (truncate(report.old), truncate(report.new)), unknown, bad, others)


def points(report: Report) -> Points:
    """The parts of the summary line of a report."""
    changes = [each.change for each in report.objects]
    unknown = lacks(report)
    nothing = say("no difference was found" if unknown else "the generated objects are equal")
    first = _train_jobs(report) or (say("no TrainJob changes") if changes else nothing)
    count = sum(change.job is None for change in changes)
    objects = plural(count, "other object differs", "other objects differ") if count else Message()
    moved = [say("overlay {} is now {}", old, new) for old, new in report.difference.moved[:_MOST_MOVED]]
    others = (_differences(report.difference.summary), objects, *moved)
    return Points(unknown, first, tuple(rejected(report)), tuple(filter(None, others)), objects)


def lacks(report: Report, *, is_brief: bool = False) -> Message:
    """`8 TrainJobs cannot be built`, in brief `8 TrainJobs`; empty where all is known."""
    unbuilt, problems = len(report.difference.unbuilt), len(report.distinct_problems)
    parts = []
    if unbuilt:
        parts.append(say("{}" if is_brief else "{} cannot be built", plural(unbuilt, "TrainJob")))
    if report.difference.incomplete:
        parts.append(_unread(report.difference.incomplete))
    if problems:
        parts.append(say("{} in the files", plural(problems, "error")))
    return joined(parts)


def _unread(incomplete: Sequence[Incomplete]) -> Message:
    overlays = [unit.overlay for unit in incomplete if unit.overlay]
    if len(overlays) < len(incomplete):
        return say("not all files can be built")
    what = say("{}", overlays[0]) if len(overlays) == 1 else say("{} overlays", len(overlays))
    return say("{} cannot be built in full", what)


def only_new_runs(report: Report) -> list[JobId]:
    """The changed TrainJobs that are printed as they were: a new run would be another one."""
    printed = {(change.job, change.overlay) for change in report.difference.changes}
    return [job for job in report.difference.summary.changed if tuple(job) not in printed]


def _train_jobs(report: Report) -> Message:
    """`3 TrainJobs change, 1 is renamed, 2 are added`."""
    new_runs = len(only_new_runs(report))
    parts: list[Message] = []
    for count, one, many in _counts(report.difference.summary, new_runs):
        if count:
            parts.append(plural(count, one, many) if parts else plural(count, f"TrainJob {one}", f"TrainJobs {many}"))
    if new_runs:
        parts.append(say("new runs of {} would change", new_runs if parts else plural(new_runs, "TrainJob")))
    return joined(parts)


def _counts(summary: Summary, new_runs: int) -> Iterator[tuple[int, str, str]]:
    renamed = {each for names in summary.renamed for each in names}
    yield len(summary.changed) - new_runs, "changes", "change"
    yield len(summary.renamed), "is renamed", "are renamed"
    yield sum(each not in renamed for each in summary.added), "is added", "are added"
    yield sum(each not in renamed for each in summary.removed), "is removed", "are removed"


def rejected(report: Report, *, is_brief: bool = False) -> Iterator[Message]:
    """`2 updates are rejected while running`, in brief `2 updates while running`."""
    changes = [each.change for each in report.objects if rejected_in(each.change)]
    simply = {change for change in changes if not has_states(change) or len(rejected_in(change)) == len(STATES)}
    running = [change for change in changes if "running" in rejected_in(change) and change not in simply]
    verbs = ("", "") if is_brief else (" is rejected", " are rejected")
    for count, words in (
        (len(simply), ""),
        (len(running), " while running"),
        (len(changes) - len(running) - len(simply), " in other states"),
    ):
        if count:
            yield plural(count, f"update{verbs[0]}{words}", f"updates{verbs[1]}{words}")


def _differences(summary: Summary) -> Message:
    """`+2 Pods, +16 nvidia.com/gpu`."""
    figures = numbers(summary.before, summary.after)
    found = [counted(each, each.difference) for each in figures if each.difference and each.is_device]
    rest = [say("{} more", len(found) - _MOST_DIFFERENCES)] if len(found) > _MOST_DIFFERENCES else []
    return joined([*found[:_MOST_DIFFERENCES], *rest])
