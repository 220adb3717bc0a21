"""A difference as text, Markdown, HTML or JSON.

In: a `Report`. Out: one complete text that ends in a newline. Must not: read files, print, know the command line.
"""

from __future__ import annotations

from kubectl_trainjob.review.diff.view import Report

_LIMIT = 60_000  # characters of Markdown: a forge takes 65 536, with what a user adds


def written(report: Report, form: str, *, colour: bool = False) -> str:
    """The difference in the format of that name, whose writer is imported now; colour is for `text` only.

    Raises KeyError for an unknown name.
    """
    if form == "json":
        from kubectl_trainjob.report.diff.jsontext import as_json

        return as_json(report)
    from kubectl_trainjob.report.diff.document import document

    if form == "text":
        from kubectl_trainjob.report import text

        return text.render(document(report, has_errors=False), has_colour=colour)
    if form == "markdown":
        from kubectl_trainjob.report import markdown

        return markdown.render(document(report), _LIMIT)
    if form == "html":
        from kubectl_trainjob.report import html

        return html.render(document(report))
    raise KeyError(form)
