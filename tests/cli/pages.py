"""Reports of each subject in each format."""

from __future__ import annotations

from kubectl_trainjob.model.finding import LintReport
from kubectl_trainjob.report import html, markdown, text
from kubectl_trainjob.report.diff.document import document
from kubectl_trainjob.report.lint import document as of_lint
from kubectl_trainjob.report.review import document as of_review
from kubectl_trainjob.review.diff.view import Report
from kubectl_trainjob.review.result import Review


def difference_as_text(of: Report, *, has_colour: bool = False) -> str:
    return text.render(document(of, has_errors=False), has_colour=has_colour)


def difference_as_markdown(of: Report, most: int = 60_000) -> str:
    return markdown.render(document(of), most)


def difference_as_html(of: Report) -> str:
    return html.render(document(of))


def review_as_text(of: Review, *, has_colour: bool = False) -> str:
    return text.render(of_review.for_terminal(of), has_colour=has_colour)


def review_as_markdown(of: Review, most: int = 65_536) -> str:
    return markdown.render(of_review.for_comment(of), most)


def review_as_html(of: Review) -> str:
    return html.render(of_review.for_page(of))


def findings_as_text(of: LintReport, *, has_colour: bool = False) -> str:
    return text.render(of_lint.for_terminal(of), has_colour=has_colour)


def findings_as_markdown(of: LintReport, most: int = 65_536) -> str:
    return markdown.render(of_lint.for_page(of), most)
