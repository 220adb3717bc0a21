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
        from kubectl_trainjob.report import text
        from kubectl_trainjob.report.review.document import for_terminal

        return text.render(for_terminal(review), has_colour=colour)
    if form == "markdown":
        from kubectl_trainjob.report import markdown
        from kubectl_trainjob.report.review.document import for_comment

        return markdown.render(for_comment(review))
    if form == "html":
        from kubectl_trainjob.report import html
        from kubectl_trainjob.report.review.document import for_page

        return html.render(for_page(review))
    if form == "json":
        from kubectl_trainjob.report.review.jsontext import as_json

        return as_json(review)
    from kubectl_trainjob.report import lint

    return lint.written(review.lint, form)
