"""A review as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.kube.facts.kinds import is_job
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.diff import document as difference
from kubectl_trainjob.report.diff.words import JobNames, called, consequence
from kubectl_trainjob.report.findings import group_findings
from kubectl_trainjob.report.lint.document import details, not_checked_block, not_shown
from kubectl_trainjob.report.phrases import first_of, more
from kubectl_trainjob.report.review import words
from kubectl_trainjob.report.review.summary_line import difference_of, summary_line_of
from kubectl_trainjob.review.diff.changes import rejected_in
from kubectl_trainjob.review.diff.view import Report
from kubectl_trainjob.review.result import JobRow, Review, ReviewVerdict
from kubectl_trainjob.review.verdict import DECISIVE_IMPACTS

_COMMAND = "review -o html"
_MOST_OTHERS = 40
_MOST_REASONS = 10  # of rejected updates
_MOST_NAMES = 8  # of jobs with one reason

_COLUMNS = (
    blocks.Column(say("job"), "name"),
    blocks.Column(say("change"), "words"),
    blocks.Column(say("impact"), "words"),
    blocks.Column(say("GPUs"), "wide"),
    blocks.Column(say("world size")),
    blocks.Column(say("new findings")),
)


def for_terminal(review: Review) -> blocks.Document:
    """The verdict, the jobs, the causes and the new findings; values that change are for `diff`."""
    report = difference_of(review)
    jobs = JobNames(report)
    parts = [*_unknown(report, jobs), *_jobs(review, jobs), *_rejections(review, jobs)]
    parts += [*difference.causes(report, jobs), *_others(review)]
    parts += [*_details(review, ""), *not_checked_block(review.lint), *not_shown(review.lint)]
    return blocks.Document(summary_line_of(review), parts)


def for_comment(review: Review) -> blocks.Document:
    """The verdict, the causes, the jobs and the new findings, then details, folded."""
    report = difference_of(review)
    jobs, findings = JobNames(report), group_findings(review.results)
    parts = [*not_shown(review.lint), *_unknown(report, jobs)]
    parts += [*difference.causes(report, jobs), *_jobs(review, jobs)]
    parts += [blocks.FindingTable("New findings", findings), blocks.FindingDetails("", findings)] if findings else []
    parts += [*not_checked_block(review.lint), *difference.totals(report), *difference.objects(report)]
    return blocks.Document(summary_line_of(review), parts, _COMMAND)


def for_page(review: Review) -> blocks.Document:
    """The verdict, the jobs and the new findings, above the page of the difference."""
    report = difference_of(review)
    jobs = JobNames(report)
    parts = [*_unknown(report, jobs), *_jobs(review, jobs)]
    findings = [*_details(review, "New findings"), *not_checked_block(review.lint), *not_shown(review.lint)]
    if findings and not review.results:
        findings.insert(0, blocks.FindingDetails("No new findings", ()))
    parts += [*findings, *difference.summary(report, jobs), *difference.objects(report)]
    return blocks.Document(summary_line_of(review), parts, _COMMAND)


def _unknown(report: Report, jobs: JobNames) -> Iterator[blocks.Block]:
    yield from difference.unknown(report, jobs)
    yield from difference.errors(report)


def _jobs(review: Review, jobs: JobNames) -> Iterator[blocks.Block]:
    if review.rows:
        yield blocks.Table("Jobs", _COLUMNS, [_row(row, jobs) for row in review.rows])


def _row(row: JobRow, jobs: JobNames) -> Sequence[Message | blocks.Badge]:
    sizes = words.gpu_cell(row.sizes), words.size_cell(row.sizes)
    return words.name(row, jobs), words.change(row), words.verdict(row), *sizes, words.finding_cell(row)


def _rejections(review: Review, jobs: JobNames) -> Iterator[blocks.Block]:
    """Why a cluster rejects the updates of jobs, and what to do; the same reason once for all jobs."""
    impacts = DECISIVE_IMPACTS[ReviewVerdict.REJECTED]
    names = {row.job: words.name(row, jobs) for row in review.rows if row.impact in impacts}
    changes = [each for each in review.report.difference.changes if is_job(each.identity) or rejected_in(each)]
    owned = [(each.consequence, JobId(each.job or each.identity, each.overlay)) for each in changes if each.consequence]
    reasons = group((reason, names[job]) for reason, job in owned if job in names)
    shown = [*reasons.items()][:_MOST_REASONS]
    lines = [say("{}: the update {}.", first_of([*dict.fromkeys(of)], _MOST_NAMES), reason) for reason, of in shown]
    lines += more(len(reasons) - _MOST_REASONS, "reason")
    if lines:
        yield blocks.Statements([*lines, say("Details: {}, with the same arguments", "kubectl trainjob diff")])


def _others(review: Review) -> Iterator[blocks.Block]:
    """The objects that belong to no job but may affect one."""
    lines = []
    for change in review.others[:_MOST_OTHERS]:
        effect = consequence([change])
        name, what = f"{change.identity.kind}/{called(change.identity)}", Message(change.change)
        lines.append(say("{}: {}. {}", name, what, effect) if effect else say("{}: {}.", name, what))
    lines += more(len(review.others) - _MOST_OTHERS, "object")
    if lines:
        yield blocks.Statements(lines)


def _details(review: Review, title: str) -> Iterator[blocks.Block]:
    findings = group_findings(review.results)
    if findings:
        yield details(findings, title)


DOCUMENTS = {"text": for_terminal, "markdown": for_comment, "html": for_page}
"""The documents by the formats that show them."""
