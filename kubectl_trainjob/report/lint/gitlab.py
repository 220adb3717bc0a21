"""A lint report as GitLab reads code quality: a list of issues, each with a unique fingerprint."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kubectl_trainjob.model.finding import Finding, LintReport
from kubectl_trainjob.model.message import truncate
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Category, Severity
from kubectl_trainjob.report.findings import group_findings
from kubectl_trainjob.report.json_syntax import as_json_text


def as_gitlab(report: LintReport) -> str:
    """The list, by severity; empty without findings."""
    seen: Counter[str] = Counter()
    issues = []
    for finding in group_findings(report.results):
        first = finding.first
        objects = finding.objects
        words = first.message + (f" (in {truncate(objects)})" if objects else "")
        issues.append(_issue(first, words, _unique(first.fingerprint or first.rule.id, seen)))
    return as_json_text(issues)


def _unique(fingerprint: str, seen: Counter[str]) -> str:
    """GitLab shows one issue of each fingerprint: the second of the same gets `-2`, which no hexadecimal one has."""
    seen[fingerprint] += 1
    return fingerprint if seen[fingerprint] == 1 else f"{fingerprint}-{seen[fingerprint]}"


def _issue(result: Finding, description: str, fingerprint: str) -> dict[str, Any]:
    span = result.position.span
    return {
        "description": f"{result.rule.id}: {printable(description)}",
        "check_name": printable(result.rule.name),
        "fingerprint": fingerprint,
        "severity": _severity(result),
        "location": {
            "path": result.position.path.removeprefix("./"),
            "lines": {"begin": span.line, "end": span.end_line},
        },
    }


def _severity(result: Finding) -> str:
    if result.severity is Severity.ERROR:
        return "critical"
    if result.severity is Severity.INFO:
        return "info"
    return "minor" if result.rule.category in (Category.POLICY, Category.TOOL) else "major"
