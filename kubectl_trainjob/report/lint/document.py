"""A lint report as blocks."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_trainjob.model.finding import LintReport
from kubectl_trainjob.report.blocks import (
    Block,
    Document,
    FindingDetails,
    FindingTable,
    Headline,
    Statements,
    Unverified,
)
from kubectl_trainjob.report.grouped import GroupedFinding, group_findings
from kubectl_trainjob.report.lint.words import closing, headline, not_judged, set_aside
from kubectl_trainjob.report.sentence import Sentence

MOST_SHOWN = 1000  # findings in a terminal


def for_terminal(report: LintReport) -> Document:
    """The findings, what could not be checked, and the counts at the end, where a terminal stops."""
    findings = group_findings(report.results)
    details = FindingDetails("", findings[:MOST_SHOWN], max(len(findings) - MOST_SHOWN, 0))
    counts = (closing(report, (each.severity for each in findings)),)
    return Document(None, (details, *unverified(report), Statements([counts, *_fixable(findings)])))


def for_comment(report: LintReport) -> Document:
    """The counts, a table of the findings, then what there is to say of each."""
    findings = group_findings(report.results)
    first = (headline(report, (each.severity for each in findings)),)
    table, details = FindingTable("", findings), FindingDetails("", findings)
    blocks: list[Block] = [*not_shown(report), table, *unverified(report), details]
    return Document(Headline(first), blocks, "lint -o json")


def unverified(report: LintReport) -> list[Unverified]:
    """What could not be checked; nothing where all could."""
    causes = [not_judged(each) for each in report.unverifiable]
    return [Unverified(causes)] if causes else []


def not_shown(report: LintReport) -> list[Statements]:
    """Which findings are not shown; nothing where all are."""
    aside = set_aside(report)
    return [Statements([(f"Findings not shown: {aside}.",)])] if aside else []


def _fixable(findings: Iterable[GroupedFinding]) -> list[Sentence]:
    """`3 fixable with --fix, 2 more with --unsafe-fixes`; nothing where nothing is."""
    fixes = [each.fixes for each in findings if each.fixes]
    safe = sum(any(fix.is_safe for fix in each) for each in fixes)
    unsafe = len(fixes) - safe
    if not safe:
        return [(f"{unsafe} fixable with --unsafe-fixes",)] if unsafe else []
    return [(f"{safe} fixable with --fix" + (f", {unsafe} more with --unsafe-fixes" if unsafe else ""),)]
