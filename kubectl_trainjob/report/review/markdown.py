"""A review as one comment on a pull request: the verdict, the jobs, what is new wrong; then details, folded.

What is worst comes first, so that a forge's limit cuts off what matters least, and what is cut off is counted. Every
piece of data stands in code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.diff.refused import is_refused
from kubectl_trainjob.report.alike import Alike, alike
from kubectl_trainjob.report.lint.markdown import add_table, details, unverifiable
from kubectl_trainjob.report.lint.merged import merged
from kubectl_trainjob.report.lint.words import set_aside
from kubectl_trainjob.report.markdown_blocks import objects, summary, unknown
from kubectl_trainjob.report.markdown_syntax import code, folded, sentence, table
from kubectl_trainjob.report.numbers import joined
from kubectl_trainjob.report.page import Page
from kubectl_trainjob.report.review import words
from kubectl_trainjob.report.sentence import begun, in_short, plural
from kubectl_trainjob.report.words import Jobs
from kubectl_trainjob.review.told import JobRow, Review

_MOST_ROWS = 20  # of the table that is open from the start
_SIGNS: dict[words.Weight, str] = {"bad": "❌", "doubtful": "⚠️", "good": "✅"}


def as_markdown(review: Review, most: int = 65_536) -> str:
    """The whole text, of at most `most` characters as forges count them, for which 10 000 are always enough."""
    return _Comment(review, most).text()


class _Comment:
    """A review on a page, and what there was no room for."""

    def __init__(self, review: Review, most: int) -> None:
        self._review = review
        self._jobs = Jobs(review.report)
        self._findings = merged(review.lint.results)
        self._page = Page(most, list(_head(review)))
        self._hidden = {"TrainJob": 0, "finding": 0, "object": 0, "part": 0}

    def text(self) -> str:
        """The whole text."""
        report = words.difference_of(self._review)
        groups = alike(report)
        refused = [group for group in groups if is_refused(group.change)]
        self._add("part", unknown(report, self._jobs))
        self._add_jobs()
        self._add_findings()
        for lines in summary(report, self._jobs):
            self._add("part", lines)
        self._add_objects([*refused, *(group for group in groups if not is_refused(group.change))])
        self._add_rest_of_jobs()
        return self._page.text(*self._left_out())

    def _add(self, what: str, lines: Sequence[str], count: int = 1) -> bool:
        """Add lines, or count what they tell; whether they are there."""
        fits = not lines or self._page.add(["", *lines])
        self._hidden[what] += 0 if fits else count
        return fits

    def _add_jobs(self) -> None:
        rows = self._review.rows[:_MOST_ROWS]
        if rows:
            self._add("TrainJob", self._table(rows), len(rows))

    def _add_rest_of_jobs(self) -> None:
        """The rows behind the first ones, as many as there is room for."""
        rows = self._review.rows[_MOST_ROWS:]
        count = len(rows)
        while count and not self._page.add(["", *self._folded_table(rows[:count])]):
            count //= 2
        self._hidden["TrainJob"] += len(rows) - count

    def _folded_table(self, rows: Sequence[JobRow]) -> list[str]:
        return folded(plural(len(rows), "more job"), self._table(rows))

    def _table(self, rows: Sequence[JobRow]) -> list[str]:
        return table(words.HEAD, map(self._row, rows), names=3)

    def _row(self, row: JobRow) -> tuple[str, ...]:
        weight, verdict = words.verdict(row)
        return (
            sentence(words.name(row, self._jobs)),
            sentence(words.change(row)),
            f"{_SIGNS[weight]} {verdict}",
            sentence(words.gpu_cell(row.sizes)),
            words.size_cell(row.sizes),
            words.finding_cell(row),
        )

    def _add_findings(self) -> None:
        if not self._findings and not self._review.lint.unverifiable:
            return
        if not self._page.add(["", "#### New findings"]):
            self._hidden["finding"] += len(self._findings)
            return
        shown = add_table(self._page, self._findings)
        for lines, told in details(self._findings):
            if self._page.add(["", *lines]):
                shown.update(told)
        self._add("part", unverifiable(self._review.lint)[1:])
        self._hidden["finding"] += sum(id(each) not in shown for each in self._findings)

    def _add_objects(self, groups: Sequence[Alike]) -> None:
        title = ["#### What changes", ""]
        for lines, count in objects(groups):
            if self._add("object", [*title, *lines], count):
                title = []

    def _left_out(self) -> Iterator[str]:
        hidden = [plural(count, what) for what, count in self._hidden.items() if count]
        if hidden:
            told = ", ".join(hidden)
            yield ""
            yield f"**Left out for want of room: {told}**; `kubectl trainjob review -o html` shows everything."


def _head(review: Review) -> Iterator[str]:
    told = words.headline_of(review)
    yield f"### {_SIGNS[told.weight]} {begun(sentence(told.first()))}"
    if told.others:
        yield from ("", f"{begun(sentence(joined(told.others, '; ')))}.")
    yield ""
    yield f"{code(in_short(review.report.old))} → {code(in_short(review.report.new))}"
    aside = set_aside(review.lint)
    if aside:
        yield ""
        yield f"Findings that are not told: {aside}."
