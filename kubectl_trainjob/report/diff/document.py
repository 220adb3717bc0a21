"""A difference as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.report.blocks import (
    Block,
    Card,
    Cards,
    Column,
    Document,
    Effect,
    Effects,
    Errors,
    Names,
    Numbers,
    Table,
    Value,
)
from kubectl_trainjob.report.diff.alike import Alike, alike
from kubectl_trainjob.report.diff.headline import headline, only_new_runs
from kubectl_trainjob.report.diff.numbers import Grouped, by_group, numbers, unchanged
from kubectl_trainjob.report.diff.words import (
    Jobs,
    caused,
    consequence,
    counterpart,
    found_in,
    made_from,
    members,
    named_after,
    new_runs,
    problem,
    refusals,
    refused_when,
    unread,
    where,
)
from kubectl_trainjob.report.sentence import Data, Sentence, in_short, plural
from kubectl_trainjob.review.diff.refused import is_refused, refused_in
from kubectl_trainjob.review.diff.view import Report, Row


def document(report: Report, *, has_errors: bool = True) -> Document:
    """The headline, what is not known, the numbers, the causes, then every object with its values.

    Errors of the files are on stderr beside a text.
    """
    jobs = Jobs(report)
    blocks = [*unknown(report, jobs), *(errors(report) if has_errors else ()), *summary(report, jobs)]
    return Document(headline(report), [*blocks, *objects(report)], "diff -o html")


def unknown(report: Report, jobs: Jobs) -> Iterator[Block]:
    """What cannot be built or read."""
    if report.difference.unbuilt:
        yield Names("Cannot be built, so not compared", jobs.told(report.difference.unbuilt))
    if report.difference.incomplete:
        yield Names("Cannot be read in full", unread(report))


def errors(report: Report) -> Iterator[Block]:
    """The errors of the files."""
    if report.problems:
        yield Errors([problem(each, report) for each in report.problems])


def summary(report: Report, jobs: Jobs) -> Iterator[Block]:
    """The numbers, the causes, and the TrainJobs of which only new runs change."""
    yield from totals(report)
    yield from causes(report, jobs)
    found = only_new_runs(report)
    if found:
        yield Names("What new runs become", jobs.told(found), new_runs(len(found)))


def totals(report: Report) -> Iterator[Block]:
    """The numbers of all TrainJobs, then by namespace and queue."""
    of = report.difference.summary
    found, grouped = numbers(of.before, of.after), by_group(of)
    if found:
        yield Numbers(found, unchanged(found), _groups(grouped) if grouped else None)


def _groups(of: Grouped) -> Table:
    names = ("namespace", "queue") if of.has_queues else ("namespace",)
    columns = [*(Column((name,), "name") for name in names), *map(Column, of.names)]
    rows = []
    for group, cells in of.rows:
        namespace: Sentence = (Data(in_short(group.namespace)),) if group.namespace else ("no namespace",)
        queue: Sentence = (Data(in_short(group.queue)),) if group.queue else ("none",)
        rows.append([*(namespace, queue)[: len(names)], *((cell,) for cell in cells)])
    return Table(f"By {' and '.join(names)}", columns, rows)


def causes(report: Report, jobs: Jobs) -> Iterator[Block]:
    """What causes the changes."""
    if report.causes:
        of = report.causes
        yield Effects([Effect(caused(each), len(each.cause.jobs), jobs.told(each.cause.jobs)) for each in of])


def objects(report: Report) -> Iterator[Block]:
    """The objects that differ."""
    if report.objects:
        yield Cards([*map(_card, alike(report))])


def _card(group: Alike) -> Card:
    change, count = group.change, len(group.members)
    kind, name = change.identity.kind, change.identity.name
    about: list[Sentence] = [found_in(group.changes), made_from(change) if count == 1 else ()]
    notes: list[Sentence] = [named_after(change)] if group.has_names else []
    if group.carried:
        notes.append((f"{plural(group.carried, 'more value only carries', 'more values only carry')} the new name.",))
    return Card(
        (f"{count} × ", Data(in_short(kind))) if count > 1 else (Data(in_short(f"{kind}/{name}")),),
        change.change,
        [part for part in about if part],
        counterpart(change) if count == 1 else (),
        consequence(group.changes),
        None if change.verdict is None else "bad" if refused_in(change) else "good",
        is_refused(change),
        [_value(row, group) for row in group.rows],
        refusals(group.members[0]),
        notes,
        members(group) if count > 1 else (),
        count,
    )


def _value(row: Row, group: Alike) -> Value:
    rejected = refused_when(group.change, row.refused) if row.refused else None
    return Value(in_short(row.path), row.old, row.new, where(row.sources), rejected)
