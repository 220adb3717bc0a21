"""A review as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.report.blocks import (
    Badge,
    Block,
    Column,
    Document,
    FindingDetails,
    FindingTable,
    Statements,
    Table,
)
from kubectl_trainjob.report.diff import document as difference
from kubectl_trainjob.report.diff.words import Jobs, called, consequence
from kubectl_trainjob.report.grouped import group_findings
from kubectl_trainjob.report.lint.document import MOST_SHOWN, not_shown, unverified
from kubectl_trainjob.report.review import words
from kubectl_trainjob.report.review.headline import difference_of, headline_of, repeated
from kubectl_trainjob.report.sentence import Data, Sentence, more
from kubectl_trainjob.review.diff.view import Report
from kubectl_trainjob.review.view import JobRow, Review

_COMMAND = "review -o html"
_MOST_OTHERS = 40

_COLUMNS = (
    *(Column(("job",), "name"), Column(("change",), "words"), Column(("verdict",), "words"), Column(("GPUs",), "wide")),
    *(Column(("world size",)), Column(("new findings",))),
)


def for_terminal(review: Review) -> Document:
    """The verdict, the jobs, the causes and the new findings; values that change are for `diff`."""
    report = difference_of(review)
    jobs = Jobs(report)
    blocks = [*_unknown(report, jobs), *_jobs(review, jobs), *difference.causes(report, jobs), *_others(review)]
    blocks += [*_details(review, ""), *unverified(review.lint), *_about_jobs(review), *not_shown(review.lint)]
    return Document(headline_of(review), blocks)


def for_comment(review: Review) -> Document:
    """The verdict, the causes, the jobs and the new findings, then details, folded."""
    report = difference_of(review)
    jobs, findings = Jobs(report), group_findings(review.results)
    blocks = [*not_shown(review.lint), *_about_jobs(review), *_unknown(report, jobs)]
    blocks += [*difference.causes(report, jobs), *_jobs(review, jobs)]
    blocks += [FindingTable("New findings", findings), FindingDetails("", findings)] if findings else []
    blocks += [*unverified(review.lint), *difference.totals(report), *difference.objects(report)]
    return Document(headline_of(review), blocks, _COMMAND)


def for_page(review: Review) -> Document:
    """The verdict, the jobs and the new findings, above the page of the difference."""
    report = difference_of(review)
    jobs = Jobs(report)
    blocks = [*_unknown(report, jobs), *_jobs(review, jobs), *_about_jobs(review)]
    findings = [*_details(review, "New findings"), *unverified(review.lint), *not_shown(review.lint)]
    if findings and not review.results:
        findings.insert(0, FindingDetails("No new findings", ()))
    blocks += [*findings, *difference.summary(report, jobs), *difference.objects(report)]
    return Document(headline_of(review), blocks, _COMMAND)


def _unknown(report: Report, jobs: Jobs) -> Iterator[Block]:
    yield from difference.unknown(report, jobs)
    yield from difference.errors(report)


def _jobs(review: Review, jobs: Jobs) -> Iterator[Block]:
    if review.rows:
        yield Table("Jobs", _COLUMNS, [_row(row, jobs) for row in review.rows])


def _row(row: JobRow, jobs: Jobs) -> Sequence[Sentence | Badge]:
    sizes, findings = (words.size_cell(row.sizes),), (words.finding_cell(row),)
    return words.name(row, jobs), words.change(row), words.verdict(row), words.gpu_cell(row.sizes), sizes, findings


def _about_jobs(review: Review) -> Iterator[Block]:
    about = repeated(review)
    if about:
        yield Statements([about])


def _others(review: Review) -> Iterator[Block]:
    """The objects that belong to no job and may matter to one."""
    lines: list[Sentence] = []
    for change in review.others[:_MOST_OTHERS]:
        effect = consequence([change])
        name = Data(f"{change.identity.kind}/{called(change.identity)}")
        lines.append((name, f": {change.change}.", *((" ", *effect) if effect else ())))
    lines += more(len(review.others) - _MOST_OTHERS, "object")
    if lines:
        yield Statements(lines)


def _details(review: Review, title: str) -> Iterator[Block]:
    findings = group_findings(review.results)
    if findings:
        yield FindingDetails(title, findings[:MOST_SHOWN], max(len(findings) - MOST_SHOWN, 0))
