"""Diagnostics as text: `path:line:column: error KTJnnn name: message`, the source line, a caret, related places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.finding import Finding, Note
from kubectl_trainjob.model.message import say
from kubectl_trainjob.report.blocks import Document, Statements
from kubectl_trainjob.report.findings import GroupedFinding, counted, group_findings
from kubectl_trainjob.report.lint.document import details
from kubectl_trainjob.report.text import render
from kubectl_trainjob.repository.excerpt import Excerpts
from kubectl_trainjob.repository.findings import FindingBuilder
from kubectl_trainjob.repository.positions import Location, ResolvePlace


def report(diagnostics: Iterable[Diagnostic], resolve: ResolvePlace, *, colour: bool = False) -> str:
    """The whole report, sorted by place and rule, each finding once; "" when there is none.

    A problem of a rendered text is reported at the template's line, with the values. The line as rendered is added
    where it differs. Not all of many findings are shown; the closing line counts all of them.
    """
    builder, excerpts = FindingBuilder(resolve), Excerpts()
    found = [builder.finding(each, {}) for each in diagnostics]
    rendered = sorted(((_rendered_line(location, excerpts), finding) for finding, location in found), key=itemgetter(0))
    groups = sorted(group_findings(_with_line(*each) for each in rendered), key=_order)
    totals = [Statements([counted(each.severity for each in groups)])] if len(groups) > 1 else []
    return render(Document(None, [details(groups), *totals]), has_colour=colour)


def _order(group: GroupedFinding) -> tuple[str, int, int, str, str]:
    at, first = group.first.position, group.first
    return at.path, at.span.line, at.span.column, first.rule.id, first.message


def _rendered_line(location: Location, excerpts: Excerpts) -> str:
    """The line as rendered with values; "" where it is the template's, or empty."""
    if (
        location.generated is None
        or location.generated.file.written is None
        or location.generated.file.written.values is None
    ):
        return ""
    template, rendered = (
        (excerpts.line(each.file, each.span.line) or "").strip() for each in (location, location.generated)
    )
    return "" if rendered == template else rendered


def _with_line(line: str, finding: Finding) -> Finding:
    """The finding with a note about the line as rendered, before the note about the values."""
    if not line:
        return finding
    *related, values = finding.related
    return replace(finding, related=(*related, Note(say("rendered as: {}", line), finding.position), values))
