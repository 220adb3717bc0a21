"""A document in one of the formats that show blocks."""

from __future__ import annotations

from kubectl_trainjob.report.blocks import Document


def render(document: Document, form: str, *, colour: bool = False, limit: int = 65_536) -> str:
    """The whole text; `colour` is for "text" only, `limit` is the most characters of "markdown".

    Only the renderer of the format is imported. Raises KeyError for an unknown format.
    """
    if form == "text":
        from kubectl_trainjob.report import text

        return text.render(document, has_colour=colour)
    if form == "markdown":
        from kubectl_trainjob.report import markdown

        return markdown.render(document, limit)
    if form == "html":
        from kubectl_trainjob.report import html

        return html.render(document)
    raise KeyError(form)
