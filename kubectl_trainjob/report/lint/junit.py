"""A lint report as the XML of test results that Jenkins and GitLab read (the elements of xUnit's junit-10.xsd).

A file is a test suite, a finding a test case: errors and warnings fail, what is of severity info passes and says so in
`system-out`. What could not be checked is skipped. Without findings one test case passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from kubectl_trainjob.model.finding import LintReport, UncheckedRules
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.findings import GroupedFinding, finding_lines, group_findings
from kubectl_trainjob.report.lint.document import closing, not_checked
from kubectl_trainjob.report.phrases import as_lines, without_commands

_TOOL = "kubectl trainjob lint"


def as_junit(report: LintReport) -> str:
    """The whole document."""
    findings = group_findings(report.results)
    by_file = group((each.first.position.path, each) for each in findings)
    suites = [_suite(path, _cases(path, found), sum(map(_fails, found))) for path, found in by_file.items()]
    if not findings:
        suites.append(_suite(_TOOL, [_element("testcase", name=closing(report, ()), classname=_TOOL)]))
    if report.unchecked:
        suites.append(_suite("not checked", [_skipped_case(each) for each in report.unchecked], has_only_skipped=True))
    counts = {"tests": len(findings) or 1, "failures": sum(map(_fails, findings)), "errors": 0}
    counts["tests"] += len(report.unchecked)
    body = _element("testsuites", "\n".join(["", *suites, ""]), name=_TOOL, **counts)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _fails(finding: GroupedFinding) -> bool:
    return finding.severity is not Severity.INFO


def _suite(name: str, cases: Sequence[str], failures: int = 0, *, has_only_skipped: bool = False) -> str:
    counts = {"tests": len(cases), "failures": failures, "errors": 0}
    counts["skipped"] = len(cases) if has_only_skipped else 0
    return _element("testsuite", "\n".join(["", *cases, ""]), name=name, **counts)


def _cases(path: str, findings: Sequence[GroupedFinding]) -> list[str]:
    """The cases of one file; readers show one of each name, so each name is unique."""
    seen: Counter[str] = Counter()
    cases = []
    for finding in findings:
        span = finding.first.position.span
        name = f"{finding.first.rule.id} {finding.first.rule.name} at {span.line}:{span.column}"
        seen[name] += 1
        again = f" ({seen[name]})" if seen[name] > 1 else ""
        cases.append(_element("testcase", _outcome(finding), name=name + again, classname=path))
    return cases


def _outcome(finding: GroupedFinding) -> str:
    lines = as_lines(finding_lines(finding, lambda _, text: text))
    text = "\n".join(["", *map(_text, lines.split("\n"))])
    if not _fails(finding):
        return _element("system-out", text)
    return _element("failure", text, type=finding.severity, message=finding.first.message)


def _skipped_case(each: UncheckedRules) -> str:
    return _element("testcase", _element("skipped", message=each.cause), name=not_checked(each), classname=_TOOL)


def _element(tag: str, content: str = "", **attributes: str | int) -> str:
    """`content` is XML already; the attributes are texts."""
    shown = "".join(f' {name}="{_text(str(value))}"' for name, value in attributes.items())
    return f"<{tag}{shown}>{content}</{tag}>" if content else f"<{tag}{shown}/>"


def _text(text: str) -> str:
    r"""Text as XML: invisible characters, and those that XML cannot hold, are written as `\xNN`."""
    return escape(without_commands(printable(text)))
