"""A lint report as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubectl_trainjob.model.finding import LintReport, UncheckedRules
from kubectl_trainjob.model.message import Message, joined, plural, say
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.findings import GroupedFinding, counted, group_findings

MOST_SHOWN = 1000  # findings in a terminal
_MOST_RULES = 3  # that a note about unchecked rules lists


def for_terminal(report: LintReport) -> blocks.Document:
    """The findings, what could not be checked, and the counts at the end, where a terminal stops."""
    findings = group_findings(report.results)
    totals = blocks.Statements([closing(report, (each.severity for each in findings)), *_fixable(findings)])
    return blocks.Document(None, (details(findings), *not_checked_block(report), totals))


def for_page(report: LintReport) -> blocks.Document:
    """The counts, a table of the findings, then the details of each."""
    findings = group_findings(report.results)
    first = summary_line(report, (each.severity for each in findings))
    table, every = blocks.FindingTable("", findings), blocks.FindingDetails("Findings", findings)
    parts: list[blocks.Block] = [*not_shown(report), table, *not_checked_block(report), every]
    return blocks.Document(blocks.SummaryLine(first), parts, "lint -o json")


def details(findings: Sequence[GroupedFinding], title: str = "") -> blocks.FindingDetails:
    """The first findings, and how many more there are."""
    return blocks.FindingDetails(title, findings[:MOST_SHOWN], max(len(findings) - MOST_SHOWN, 0))


def not_checked_block(report: LintReport) -> list[blocks.NotChecked]:
    """What could not be checked; empty if everything was checked."""
    causes = [not_checked(each) for each in report.unchecked]
    return [blocks.NotChecked(causes)] if causes else []


def not_shown(report: LintReport) -> list[blocks.Statements]:
    """Which findings are not shown; empty if all are shown."""
    counts = _hidden_counts(report)
    return [blocks.Statements([say("Findings not shown: {}.", counts)])] if counts else []


def _fixable(findings: Iterable[GroupedFinding]) -> list[Message]:
    """`3 fixable with --fix, 2 more with --unsafe-fixes`; empty if there are none."""
    fixes = [each.fixes for each in findings if each.fixes]
    safe = sum(any(fix.is_safe for fix in each) for each in fixes)
    unsafe = len(fixes) - safe
    if safe and unsafe:
        return [say("{} fixable with --fix, {} more with --unsafe-fixes", safe, unsafe)]
    if not safe and not unsafe:
        return []
    return [say("{} fixable with --fix" if safe else "{} fixable with --unsafe-fixes", safe or unsafe)]


def summary_line(report: LintReport, severities: Iterable[Severity]) -> Message:
    """`3 errors, 1 warning in 12 TrainJobs`, `no problems in 1 TrainJob`."""
    none = say("no new problems" if report.baselined or report.existing else "no problems")
    return say("{} in {}", counted(severities) or none, plural(report.train_jobs, "TrainJob"))


def closing(report: LintReport, severities: Iterable[Severity]) -> Message:
    """The summary line, and in brackets what is not shown."""
    hidden = _hidden_counts(report)
    return say("{} ({})", summary_line(report, severities), hidden) if hidden else summary_line(report, severities)


def _hidden_counts(report: LintReport) -> Message:
    """`2 suppressed, 5 in the baseline, 7 existing`; empty where all findings are shown."""
    counts = (
        (say("{} suppressed", report.suppressed), report.suppressed),
        (say("{} in the baseline", report.baselined), report.baselined),
        (say("{} existing", report.existing), report.existing),
    )
    return joined(words for words, count in counts if count)


def not_checked(each: UncheckedRules) -> Message:
    """`not checked: no file says whether the queue exists (KTJ611)`; without the rules if these are many."""
    if not 0 < len(each.rules) <= _MOST_RULES:
        return say("not checked: {}", each.cause)
    return say("not checked: {} ({})", each.cause, ", ".join(each.rules))
