"""What a pull request does, in the formats that people, forges and programs read.

In: a `Review`. Out: one complete text that ends in a newline. Must not: read files, print, know the command line, or
let data become markup, a command or an invisible character.
"""

from __future__ import annotations

from kubectl_trainjob.review.view import Review


def written(review: Review, form: str, *, colour: bool = False) -> str:
    """The review in the format of that name, whose writer is imported now; colour is for `text` alone.

    Formats that are lint's alone tell the findings. Raises KeyError for an unknown name.
    """
    if form == "text":
        from kubectl_trainjob.report.review.text import as_text

        return as_text(review, has_colour=colour)
    if form == "markdown":
        from kubectl_trainjob.report.review.markdown import as_markdown

        return as_markdown(review)
    if form == "json":
        from kubectl_trainjob.report.review.jsontext import as_json

        return as_json(review)
    if form == "html":
        from kubectl_trainjob.report.review.html import as_html

        return as_html(review)
    from kubectl_trainjob.report import lint

    return lint.written(review.lint, form)
