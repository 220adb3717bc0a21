"""The effect of a pull request, in formats for users, forges and programs.

In: a `Review`. Out: one complete text that ends in a newline. Must not: read files, print, know the command line, or
print data as markup, a command or an invisible character.
"""

from __future__ import annotations

from kubectl_trainjob.review.result import Review


def format_report(review: Review, form: str, *, colour: bool = False) -> str:
    """The review in this format, its findings in a format of lint; colour is for `text` only.

    Raises KeyError for an unknown format.
    """
    if form == "json":
        from kubectl_trainjob.report.review.jsontext import as_json

        return as_json(review)
    if form not in ("text", "markdown", "html"):
        from kubectl_trainjob.report import lint

        return lint.format_report(review.lint, form)
    from kubectl_trainjob.report.render import render
    from kubectl_trainjob.report.review.document import DOCUMENTS

    return render(DOCUMENTS[form](review), form, colour=colour)
