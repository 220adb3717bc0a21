"""A difference as text, Markdown, HTML or JSON.

In: a `Report`. Out: one complete text that ends in a newline. Must not: read files, print, know the command line.
"""

from __future__ import annotations

from kubectl_trainjob.review.diff.view import Report


def written(report: Report, form: str, *, colour: bool = False) -> str:
    """The difference in the format of that name, whose writer is imported now; colour is for `text` only.

    Raises KeyError for an unknown name.
    """
    if form == "text":
        from kubectl_trainjob.report.diff.text import as_text

        return as_text(report, has_colour=colour)
    if form == "markdown":
        from kubectl_trainjob.report.diff.markdown import as_markdown

        return as_markdown(report)
    if form == "json":
        from kubectl_trainjob.report.diff.jsontext import as_json

        return as_json(report)
    if form == "html":
        from kubectl_trainjob.report.diff.html import as_html

        return as_html(report)
    raise KeyError(form)
