"""A review for a terminal: the verdict, the jobs as a table, what causes the changes, and what is new wrong.

    Refused: 1 update while running; 1 TrainJob changes; 1 new warning; +8 nvidia.com/gpu
    main (1a2b3c4) → the working tree

Values that change are for `diff`. All data is made safe for a terminal and for the log of a CI system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.report.diff.text import cause_lines, unknown_lines
from kubectl_trainjob.report.diff.words import Jobs, called, consequence, problem
from kubectl_trainjob.report.finding_lines import MOST_SHOWN, FindingLines, as_lines
from kubectl_trainjob.report.grouped import merged
from kubectl_trainjob.report.lint.human import lines_of
from kubectl_trainjob.report.lint.words import not_judged, set_aside
from kubectl_trainjob.report.review import words
from kubectl_trainjob.report.review.headline import difference_of, headline_of, repeated
from kubectl_trainjob.report.sentence import Sentence, begun, in_short, plural, written
from kubectl_trainjob.review.diff.view import Report
from kubectl_trainjob.review.view import JobRow, Review

_MOST_ROWS = 200
_MOST_PROBLEMS = _MOST_OTHERS = 40
_SIGNS: dict[words.Weight, str] = {"bad": "✗", "doubtful": "!", "good": "✓"}
_COLOURS: dict[words.Weight, str] = {"bad": "1;31", "doubtful": "1;33", "good": "32"}


def as_text(review: Review, *, has_colour: bool = False) -> str:
    """The whole text."""
    return as_lines(_Writer(review, has_colour).lines())


def _shown(of: Sentence) -> str:
    return written(of, printable)


def _problems(report: Report) -> Iterator[str]:
    """The errors that are no findings: those of the old side, and of both."""
    yield from (f"error: {_shown(problem(each, report))}" for each in report.problems[:_MOST_PROBLEMS])
    if len(report.problems) > _MOST_PROBLEMS:
        yield f"{plural(len(report.problems) - _MOST_PROBLEMS, 'more error')}: see -o json"


class _Writer:
    """Writes lines, with colour or without."""

    def __init__(self, review: Review, has_colour: bool) -> None:
        self._review = review
        self._jobs = Jobs(review.report)
        self._has_colour = has_colour

    def lines(self) -> Iterator[str]:
        """The whole review."""
        told = headline_of(self._review)
        bad = [self._styled(_shown(part), "bad") for part in told.bad]
        yield "; ".join([self._styled(begun(_shown(told.first())), told.weight), *bad, *map(_shown, told.others)])
        report = difference_of(self._review)
        yield f"{printable(in_short(report.old))} → {printable(in_short(report.new))}"
        for part in (
            [*unknown_lines(report, self._jobs), *_problems(report)],
            self._table(),
            cause_lines(report.causes, self._jobs),
            self._others(),
            self._findings(),
        ):
            lines = list(part)
            yield from ("", *lines) if lines else ()

    def _styled(self, text: str, weight: words.Weight) -> str:
        return f"\x1b[{_COLOURS[weight]}m{text}\x1b[0m" if self._has_colour else text

    def _table(self) -> Iterator[str]:
        rows = self._review.rows[:_MOST_ROWS]
        if not rows:
            return
        cells = [tuple(map(str.upper, words.HEAD)), *map(self._row, rows)]
        widths = [max(columns(row[number]) for row in cells) for number in range(len(words.HEAD))]
        weights = [None, *(words.verdict(row)[0] for row in rows)]
        for row, weight in zip(cells, weights, strict=True):
            padded = [cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)]
            if weight:
                padded[2] = self._styled(padded[2], weight)
            yield "   ".join(padded).rstrip()
        more = len(self._review.rows) - len(rows)
        if more:
            yield f"{plural(more, 'more job')}: see -o json"

    def _row(self, row: JobRow) -> Sequence[str]:
        weight, verdict = words.verdict(row)
        return (
            _shown(words.name(row, self._jobs)),
            _shown(words.change(row)),
            f"{_SIGNS[weight]} {verdict}",
            _shown(words.gpu_cell(row.sizes)),
            words.size_cell(row.sizes),
            words.finding_cell(row),
        )

    def _others(self) -> Iterator[str]:
        """The objects that are no job's and may matter to one."""
        for change in self._review.others[:_MOST_OTHERS]:
            words = _shown(consequence([change]))
            yield f"{printable(f'{change.identity.kind}/{called(change.identity)}')}: {change.change}. {words}".rstrip()
        more = len(self._review.others) - _MOST_OTHERS
        if more > 0:
            yield f"{plural(more, 'more object')}: see -o json"

    def _findings(self) -> Iterator[str]:
        findings = merged(self._review.results)
        writer = FindingLines(self._has_colour)
        for finding in findings[:MOST_SHOWN]:
            yield from lines_of(finding, writer)
        for each in self._review.lint.unverifiable:
            yield writer.note(None, written(not_judged(each), str))
        if len(findings) > MOST_SHOWN:
            yield f"{plural(len(findings) - MOST_SHOWN, 'more finding')}: see -o json"
        if twice := repeated(self._review):
            yield f"note: {twice}"
        if aside := set_aside(self._review.lint):
            yield f"findings that are not told: {aside}"
