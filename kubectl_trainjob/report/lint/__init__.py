"""What `lint` found, in the formats that people, forges and CI systems read.

In: a `LintReport`. Out: one complete text, also where nothing was found; it ends in a newline. Must not: read files,
print, know the command line, or let data become markup, a command or an invisible character.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from kubectl_trainjob.model.finding import LintReport


def written(report: LintReport, form: str, *, colour: bool = False) -> str:
    """The report in the format of that name; colour is for `human` alone. Raises KeyError for an unknown name."""
    return _human(report, colour) if form == "human" else FORMATS[form](report)


def _human(report: LintReport, colour: bool = False) -> str:
    from kubectl_trainjob.report.lint.document import for_terminal
    from kubectl_trainjob.report.text import render

    return render(for_terminal(report), has_colour=colour)


def _json(report: LintReport) -> str:
    from kubectl_trainjob.report.lint.jsontext import as_json

    return as_json(report)


def _sarif(report: LintReport) -> str:
    from kubectl_trainjob.report.lint.sarif import as_sarif

    return as_sarif(report)


def _github(report: LintReport) -> str:
    from kubectl_trainjob.report.lint.github import as_github

    return as_github(report)


def _junit(report: LintReport) -> str:
    from kubectl_trainjob.report.lint.junit import as_junit

    return as_junit(report)


def _gitlab(report: LintReport) -> str:
    from kubectl_trainjob.report.lint.gitlab import as_gitlab

    return as_gitlab(report)


def _markdown(report: LintReport) -> str:
    from kubectl_trainjob.report.lint.document import for_comment
    from kubectl_trainjob.report.markdown import render

    return render(for_comment(report))


FORMATS: Mapping[str, Callable[[LintReport], str]] = MappingProxyType(
    {
        "human": _human,
        "json": _json,
        "sarif": _sarif,
        "github": _github,
        "junit": _junit,
        "gitlab": _gitlab,
        "markdown": _markdown,
    }
)
"""The writers by the names that `-o` takes; each is imported when it is called."""
