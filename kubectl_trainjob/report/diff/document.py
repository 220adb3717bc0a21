"""A difference as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.model.message import Message, plural, say, truncate
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.diff import words
from kubectl_trainjob.report.diff.grouped_objects import GroupedObjects, group_objects
from kubectl_trainjob.report.diff.numbers import by_group, numbers, unchanged
from kubectl_trainjob.report.diff.summary_line import only_new_runs, summary_line
from kubectl_trainjob.review.diff.changes import is_rejected, rejected_in
from kubectl_trainjob.review.diff.view import Report, Row


def document(report: Report, *, has_errors: bool = True) -> blocks.Document:
    """The summary line, what is not known, the numbers, the causes, then every object with its values.

    Errors of the files are on stderr beside a text.
    """
    jobs = words.JobNames(report)
    parts = [*unknown(report, jobs), *(errors(report) if has_errors else ()), *summary(report, jobs)]
    return blocks.Document(summary_line(report), [*parts, *objects(report)], "diff -o html")


def unknown(report: Report, jobs: words.JobNames) -> Iterator[blocks.Block]:
    """What cannot be built or read."""
    if report.difference.unbuilt:
        yield blocks.Names("Cannot be built, so not compared", jobs.of(report.difference.unbuilt))
    if report.difference.incomplete:
        yield blocks.Names("Cannot be built in full", words.unread(report))


def errors(report: Report) -> Iterator[blocks.Block]:
    """The errors of the files."""
    if report.problems:
        yield blocks.Errors([words.problem(each, report) for each in report.distinct_problems])


def summary(report: Report, jobs: words.JobNames) -> Iterator[blocks.Block]:
    """The numbers, the causes, and the TrainJobs of which only new runs change."""
    yield from totals(report)
    yield from causes(report, jobs)
    found = only_new_runs(report)
    if found:
        yield blocks.Names("Changes of new runs", jobs.of(found), words.new_runs(len(found)))


def totals(report: Report) -> Iterator[blocks.Block]:
    """The numbers of all TrainJobs, then by namespace and queue."""
    of = report.difference.summary
    found = numbers(of.before, of.after)
    if found:
        yield blocks.Numbers(found, unchanged(found), by_group(of))


def causes(report: Report, jobs: words.JobNames) -> Iterator[blocks.Block]:
    """What causes the changes."""
    if report.causes:
        found = [(words.caused(each), each.cause.jobs) for each in report.causes]
        yield blocks.Effects([blocks.Effect(cause, len(changed), jobs.of(changed)) for cause, changed in found])


def objects(report: Report) -> Iterator[blocks.Block]:
    """The objects that differ."""
    if report.objects:
        yield blocks.Cards([*map(_card, group_objects(report))])


def _card(group: GroupedObjects) -> blocks.Card:
    change, count = group.change, len(group.members)
    kind, name = change.identity.kind, change.identity.name
    about = [words.found_in(group.changes), words.made_from(change) if count == 1 else Message()]
    notes = [words.named_after(change)] if group.has_names else []
    if group.carried:
        values = plural(group.carried, "more value only contains", "more values only contain")
        notes.append(say("{} the new name.", values))
    return blocks.Card(
        say("{} × {}", count, kind) if count > 1 else say("{}", f"{kind}/{name}"),
        change.change,
        [part for part in about if part],
        words.counterpart(change) if count == 1 else Message(),
        words.consequence(group.changes),
        None if change.update_result is None else "bad" if rejected_in(change) else "good",
        is_rejected(change),
        [_value(row, group) for row in group.rows],
        words.rejections(group.members[0]),
        notes,
        words.members(group) if count > 1 else (),
        count,
    )


def _value(row: Row, group: GroupedObjects) -> blocks.DifferingValue:
    rejected = words.rejected_when(group.change, row.rejections) if row.rejections else None
    return blocks.DifferingValue(truncate(row.path), row.old, row.new, words.where(row.sources), rejected)
