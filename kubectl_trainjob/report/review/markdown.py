"""A review as one comment on a pull request: the verdict, the jobs, what is new wrong; then details, folded.

What is worst is given room first, so that a forge's limit cuts off what matters least, and what is cut off is counted.
Every piece of data stands in code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from kubectl_trainjob.report.diff.alike import alike
from kubectl_trainjob.report.diff.markdown_blocks import Objects, causes, totals, unknown
from kubectl_trainjob.report.diff.words import Jobs
from kubectl_trainjob.report.grouped import merged
from kubectl_trainjob.report.lint.markdown import add_details, add_table, unverifiable
from kubectl_trainjob.report.lint.words import set_aside
from kubectl_trainjob.report.markdown_syntax import code, folded, sentence, table
from kubectl_trainjob.report.page import Page, fitting, size
from kubectl_trainjob.report.review import words
from kubectl_trainjob.report.review.headline import difference_of, headline_of, repeated
from kubectl_trainjob.report.sentence import begun, in_short, plural
from kubectl_trainjob.review.diff.refused import refused_in
from kubectl_trainjob.review.view import JobRow, Review

_MOST_ROWS = 20  # of the table that is open from the start
_SIGNS: dict[words.Weight, str] = {"bad": "❌", "doubtful": "⚠️", "good": "✅"}


class _Place(IntEnum):
    """The order in which people read what is there."""

    HEAD = 0
    CAUSES = 1
    JOBS = 2
    FINDINGS = 3
    NOT_JUDGED = 4
    NUMBERS = 5
    OBJECTS = 6


def as_markdown(review: Review, most: int = 65_536) -> str:
    """The whole text, of at most `most` characters as forges count them, for which 10 000 are always enough."""
    return _Comment(review, most).text()


class _Comment:
    """A review on a page, and what there was no room for."""

    def __init__(self, review: Review, most: int) -> None:
        self._review = review
        self._jobs = Jobs(review.report)
        self._findings = merged(review.results)
        self._page = Page(most, _head(review))
        self._rows = self._details = self._parts = 0  # how many rows and details are there, and how many parts are not

    def text(self) -> str:
        """The whole text."""
        report = difference_of(self._review)
        groups = alike(report)
        objects = Objects(self._page, _Place.OBJECTS)
        self._add_part(_about(self._review), _Place.HEAD)
        self._add_part(unknown(report, self._jobs), _Place.HEAD)
        self._add_jobs()
        listed = self._add_findings()
        self._add_part(causes(report, self._jobs), _Place.CAUSES)
        for lines in totals(report):
            self._add_part(lines, _Place.NUMBERS)
        objects.add(group for group in groups if refused_in(group.change))
        self._add_more(share=2)
        objects.add(group for group in groups if not refused_in(group.change))
        self._add_more(share=1)
        return self._page.text(*self._left_out(listed, objects.hidden))

    def _add_part(self, lines: Sequence[str], place: _Place) -> None:
        if lines and not self._page.add(["", *lines], place):
            self._parts += 1

    def _add_jobs(self) -> None:
        """The worst jobs in a table that is open."""
        title = ["", "#### Jobs", ""]
        head, dashes, *rows = self._table(self._review.rows[:_MOST_ROWS])
        self._rows = fitting(([row] for row in rows), self._page.room - size([*title, head, dashes]))
        if self._rows:
            self._page.add([*title, head, dashes, *rows[: self._rows]], _Place.JOBS)

    def _add_findings(self) -> int:
        """The worst findings in a table, in half of the room; how many."""
        page = self._page
        if self._findings:
            self._add_part(["#### New findings"], _Place.FINDINGS)
        listed = add_table(page, self._findings, page.room // 2, _Place.FINDINGS)
        self._add_part(unverifiable(self._review.lint)[1:], _Place.NOT_JUDGED)
        return listed

    def _add_more(self, share: int) -> None:
        """Details of findings, then jobs that no table has yet: each takes that share of the room at most."""
        page = self._page
        findings = self._findings[self._details :]
        self._details += add_details(page, findings, page.room // share, _Place.FINDINGS)
        self._add_more_jobs(page.room // share)

    def _add_more_jobs(self, room: int) -> None:
        head, dashes, *rows = self._table(self._review.rows[self._rows :])
        frame = ["", *folded(plural(len(rows), "more job"), [head, dashes])]
        count = fitting(([row] for row in rows), room - size(frame))
        if count:
            self._page.add(["", *folded(plural(count, "more job"), [head, dashes, *rows[:count]])], _Place.JOBS)
        self._rows += count

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

    def _left_out(self, listed: int, objects: int) -> Iterator[str]:
        findings = len(self._findings) - max(listed, self._details)
        counts = (
            (len(self._review.rows) - self._rows, "TrainJob", ""),
            (findings, "finding", ""),
            (len(self._findings) - self._details - findings, "finding's details", "findings' details"),
            (objects, "object", ""),
            (self._parts, "part of the summary", "parts of the summary"),
        )
        told = ", ".join(plural(count, one, many) for count, one, many in counts if count)
        if told:
            yield ""
            yield (
                f"**Left out for want of room: {told}**; "
                "`kubectl trainjob review -o html` shows more, `-o json` everything."
            )


def _head(review: Review) -> list[str]:
    told = headline_of(review)
    sides = f"{code(in_short(review.report.old))} → {code(in_short(review.report.new))}"
    return [f"### {_SIGNS[told.weight]} {begun(sentence(told.first()))}", "", sides]


def _about(review: Review) -> list[str]:
    """What else there is to say in one line, what is bad in bold; and what is not told."""
    told, aside, twice = headline_of(review), set_aside(review.lint), repeated(review)
    bad, others = (list(map(sentence, parts)) for parts in (told.bad, told.others))
    bad[:1], others[: not bad] = map(begun, bad[:1]), map(begun, others[: not bad])
    parts = [*(f"**{part}**" for part in bad), *others]
    lines = [f"{'; '.join(parts)}."] if parts else []
    lines += ["", f"Findings that are not told: {aside}."] if aside else []
    lines += ["", f"{twice.replace('-f', '`-f`')}."] if twice else []
    return lines if parts else lines[1:]
