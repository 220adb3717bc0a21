"""A difference as text, Markdown, HTML or JSON.

In: a `Report`. Out: one complete text that ends in a newline. Must not: read files, print, know the command line.
"""

from __future__ import annotations

from kubectl_trainjob.review.diff.view import Report

_LIMIT = 60_000  # characters of Markdown: a forge takes 65 536, with what a user adds


def format_report(report: Report, form: str, *, colour: bool = False) -> str:
    """The difference in this format; colour is for `text` only. Raises KeyError for an unknown format."""
    if form == "json":
        from kubectl_trainjob.report.diff.jsontext import as_json

        return as_json(report)
    from kubectl_trainjob.report.diff.document import document
    from kubectl_trainjob.report.render import render

    return render(document(report, has_errors=form != "text"), form, colour=colour, limit=_LIMIT)
