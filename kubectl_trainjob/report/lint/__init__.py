"""The findings of `lint`, in formats for users, forges and CI systems.

In: a `LintReport`. Out: one complete text, also without findings; it ends in a newline. Must not: read files, print,
know the command line, or print data as markup, a command or an invisible character.
"""

from __future__ import annotations

from kubectl_trainjob.model.finding import LintReport

FORMATS = ("human", "json", "sarif", "github", "junit", "gitlab", "markdown", "html")
"""The names that `-o` takes."""


def format_report(report: LintReport, form: str, *, colour: bool = False) -> str:
    """The report in this format, whose writer is imported now; colour is for `human` only.

    Raises KeyError for an unknown format.
    """
    if form in ("human", "markdown", "html"):
        from kubectl_trainjob.report.lint.document import for_page, for_terminal
        from kubectl_trainjob.report.render import render

        is_human = form == "human"
        return render(for_terminal(report), "text", colour=colour) if is_human else render(for_page(report), form)
    if form == "json":
        from kubectl_trainjob.report.lint.jsontext import as_json as write
    elif form == "sarif":
        from kubectl_trainjob.report.lint.sarif import as_sarif as write
    elif form == "github":
        from kubectl_trainjob.report.lint.github import as_github as write
    elif form == "junit":
        from kubectl_trainjob.report.lint.junit import as_junit as write
    elif form == "gitlab":
        from kubectl_trainjob.report.lint.gitlab import as_gitlab as write
    else:
        raise KeyError(form)
    return write(report)
