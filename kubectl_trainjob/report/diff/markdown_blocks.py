"""The parts of a difference as Markdown: lines that are shown all or not at all, with every piece of data in code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubectl_trainjob.report.diff.alike import Alike
from kubectl_trainjob.report.diff.headline import only_new_runs
from kubectl_trainjob.report.diff.numbers import Grouped, Number, by_group, numbers, unchanged
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
from kubectl_trainjob.report.markdown_syntax import (
    code,
    fenced,
    folded,
    html_code,
    html_sentence,
    length,
    sentence,
    table,
)
from kubectl_trainjob.report.page import Page
from kubectl_trainjob.report.sentence import Sentence, apart, begun, in_short, plural
from kubectl_trainjob.report.values import has_lines, line_diff, pair
from kubectl_trainjob.review.diff.changes import Group
from kubectl_trainjob.review.diff.refused import is_refused, refused_in
from kubectl_trainjob.review.diff.view import ObjectView, Report, Row

_MOST_VALUES = 40  # of one object
_MOST_LINES = 80  # of one value
_LONGEST = 10_000  # characters of the values of one object
_MOST_NAMES = 100
_FEW_NAMES = 3  # TrainJobs that a cause names in its line
_MOST_ROWS = 40  # of a table
_SHORTEST = 60  # characters of an object: where there is room for less, none is written to see whether it fits


def unknown(report: Report, jobs: Jobs) -> list[str]:
    """What is not known, and why; nothing where all is."""
    return list(_unknown(report, jobs))


def summary(report: Report, jobs: Jobs) -> Iterator[list[str]]:
    """The numbers, what causes the changes, and which TrainJobs change without an object."""
    yield from totals(report)
    yield from filter(None, (causes(report, jobs),))
    found = only_new_runs(report)
    if found:
        yield [f"{new_runs(len(found))} {_names(jobs.told(found))}"]


def totals(report: Report) -> Iterator[list[str]]:
    """The numbers of all TrainJobs, then by namespace and queue."""
    summary = report.difference.summary
    told = numbers(summary.before, summary.after)
    if told:
        same = unchanged(told)
        yield [f"{begun(sentence(same))}."] if same else _totals(told)
    grouped = by_group(summary)
    if grouped:
        yield _groups(grouped)


def causes(report: Report, jobs: Jobs) -> list[str]:
    """What causes the changes; nothing where nothing is known to."""
    return list(_causes(report, jobs)) if report.causes else []


class Objects:
    """The objects that change, below one title, as far as a page has room; `hidden` counts those for which it has none.

    Where one whose update is refused is left out, none that is not is added: it would look as if all were well.
    """

    def __init__(self, page: Page, place: int = 0) -> None:
        self._page = page
        self._place = place
        self._title = ["", "#### What changes"]
        self._is_cut = False
        self.hidden = 0

    def add(self, groups: Iterable[Alike]) -> None:
        """Add each group of objects that change alike, folded, in the order of `alike`: refused ones first."""
        for group in groups:
            is_bad = bool(refused_in(group.change))
            if self._page.room >= _SHORTEST and (is_bad or not self._is_cut) and self._has_added(group):
                self._title = []
            else:
                self.hidden += len(group.members)
                self._is_cut |= is_bad

    def _has_added(self, group: Alike) -> bool:
        return self._page.add([*self._title, "", *_object(group)], self._place)


def _totals(told: Sequence[Number]) -> list[str]:
    rows = [
        (sentence(number.name), number.before, number.after, f"**{number.difference}**" if number.difference else "")
        for number in told[:_MOST_ROWS]
    ]
    head = ("all TrainJobs together", "before", "after", "difference")
    return table(head, rows) + _more(len(told) - _MOST_ROWS, "row")


def _groups(grouped: Grouped) -> list[str]:
    first = ("namespace", "queue") if grouped.has_queues else ("namespace",)
    head = (*first, *map(sentence, grouped.names))
    rows = [_group(*row, has_queue=grouped.has_queues) for row in grouped.rows[:_MOST_ROWS]]
    lines = table(head, rows, len(first))
    return folded(f"By {' and '.join(first)}", lines + _more(len(grouped.rows) - _MOST_ROWS, "row"))


def _group(group: Group, cells: Sequence[str], *, has_queue: bool) -> tuple[str, ...]:
    namespace = code(in_short(group.namespace)) if group.namespace else "none stated"
    queue = code(in_short(group.queue)) if group.queue else "none"
    return (namespace, *((queue,) if has_queue else ()), *cells)


def _more(count: int, what: str) -> list[str]:
    return ["", f"{plural(count, f'more {what}')} {'is' if count == 1 else 'are'} not shown."] if count > 0 else []


def _causes(report: Report, names: Jobs) -> Iterator[str]:
    yield "#### What causes it"
    for told in report.causes[:_MOST_ROWS]:
        jobs = told.cause.jobs
        found = names.told(jobs)
        yield ""
        if len(found) > _FEW_NAMES:
            yield from folded(f"{html_sentence(caused(told))} → {plural(len(jobs), 'TrainJob')}", [_names(found)])
        else:
            yield f"{sentence(caused(told))} → {_names(found) or 'no TrainJob'}"
    yield from _more(len(report.causes) - _MOST_ROWS, "cause")


def _unknown(report: Report, jobs: Jobs) -> Iterator[str]:
    unbuilt = jobs.told(report.difference.unbuilt)
    if unbuilt:
        yield f"**Cannot be built, so not compared:** {_names(unbuilt)}"
    if report.difference.incomplete:
        yield from ("", f"**Cannot be read in full:** {_names(unread(report))}")
    if report.problems:
        yield from ("", "**Errors in the files:**", "")
        yield from (f"- {sentence(problem(each, report))}" for each in report.problems[:_MOST_ROWS])
        yield from _more(len(report.problems) - _MOST_ROWS, "error")


def _names(names: Sequence[Sentence]) -> str:
    rest = len(names) - _MOST_NAMES
    return ", ".join(map(sentence, names[:_MOST_NAMES])) + (f" and {rest} more" if rest > 0 else "")


def _object(group: Alike) -> list[str]:
    title, body = "".join(_title(group)), list(_body(group))
    return folded(title, body if not body or body[0] else body[1:], is_open=is_refused(group.change))


def _title(group: Alike) -> Iterator[str]:
    change = group.change
    kind, name = change.identity.kind, change.identity.name
    if len(group.members) > 1:
        yield f"{len(group.members)} × <b>{html_code(in_short(kind))}</b>"
        about = [found_in(group.changes)]
    else:
        yield f"<b>{html_code(in_short(f'{kind}/{name}'))}</b>"
        about = [found_in([change]), made_from(change)]
    yield from (f", {html_sentence(part)}" for part in about if part)
    yield f": {change.change}"
    if len(group.members) == 1 and change.counterpart:
        yield f", {html_sentence(counterpart(change))}"
    words = consequence(group.changes)
    if words:
        sign = "" if change.verdict is None else "❌ " if refused_in(change) else "✅ "
        yield f"<br>{sign}{html_sentence(words)}"


def _body(group: Alike) -> Iterator[str]:
    change = group.change
    yield from _values(group.rows, group.members[0])
    for each in refusals(group.members[0]):
        when = f" {each.when}" if each.when else ""
        yield f"- ❌ {code(each.path)} is refused{when}: {sentence(apart(each.reason))}"
    if group.has_names:
        yield from ("", sentence(named_after(change)))
    if group.carried:
        words = plural(group.carried, "more value only carries", "more values only carry")
        yield from ("", f"{words} the new name.")
    if len(group.members) > 1:
        names = members(group)
        yield from ("", "; ".join(map(sentence, names[:_MOST_NAMES])))
        yield from _more(len(names) - _MOST_NAMES, "object")


def _values(rows: Sequence[Row], told: ObjectView) -> Iterator[str]:
    """The values; one at least, others as long as the object stays short."""
    shown = size = 0
    for row in rows[:_MOST_VALUES]:
        lines = list(_value(row, told))
        size += length("\n".join(lines))
        if shown and size > _LONGEST:
            break
        shown += 1
        yield from lines
    yield from _more(len(rows) - shown, "value")


def _value(row: Row, told: ObjectView) -> Iterator[str]:
    place = where(row.sources)
    at_ = f" ({sentence(place)})" if place else ""
    path = f"{_mark(row, told)}{code(in_short(row.path))}"
    if not has_lines(row.old, row.new):
        old, new = pair(row.old, row.new)
        yield f"- {path}: {sentence(old)} → {sentence(new)}{at_}"
        return
    yield f"- {path}{at_}:"
    lines = line_diff(row.old, row.new, _MOST_LINES)
    yield from fenced(((f"{line.sign} " if line.sign == "…" else line.sign, line.text) for line in lines), indent="  ")


def _mark(row: Row, told: ObjectView) -> str:
    when = refused_when(told.change, row.refused) if row.refused else ""
    return "❌ " + (f"(refused {when}) " if when else "") if row.refused else ""
