"""A lint report as commands to GitHub's runner, which shows them at the lines of a pull request.

    ::error file=jobs/mnist.yaml,line=14,endLine=14,col=11,endColumn=25,title=KTJ301 extended-resource-limit-missing::…

Of each kind GitHub shows ten for a step; the most severe come first, and a notice says when there are more. Other lines
stay in the log. The escapes are those that the runner takes back (src/Runner.Common/ActionCommand.cs).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kubectl_trainjob.model.finding import LintReport
from kubectl_trainjob.model.message import truncate
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.findings import GroupedFinding, group_findings
from kubectl_trainjob.report.lint.document import closing, not_checked
from kubectl_trainjob.report.phrases import located, without_commands

_SHOWN = 10  # annotations of a kind in a step
_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def as_github(report: LintReport) -> str:
    """A command for each finding, then what could not be checked and the counts.

    The notice about more findings than GitHub shows is before those of severity info: after ten of them GitHub would
    not show it.
    """
    findings = group_findings(report.results)
    counts = closing(report, (each.severity for each in findings))
    worse = [each for each in findings if each.severity is not Severity.INFO]
    lines = [*map(_command, worse)]
    if any(count > _SHOWN for count in Counter(each.severity for each in findings).values()):
        words = f"{counts}; GitHub shows the first {_SHOWN} of each kind, the log of this step has all"
        lines.append(f"::notice title=kubectl trainjob lint::{_data(words)}")
    lines += map(_command, findings[len(worse) :])
    lines += [f"note: {_line(not_checked(each))}" for each in report.unchecked]
    return "".join(f"{line}\n" for line in [*lines, counts])


def _command(finding: GroupedFinding) -> str:
    first = finding.first
    span = first.position.span
    properties = {"file": first.position.path.removeprefix("./"), "line": span.line, "endLine": span.end_line}
    if span.line == span.end_line:  # GitHub rejects columns of several lines
        properties |= {"col": span.column, "endColumn": span.end_column}
    properties["title"] = f"{first.rule.id} {first.rule.name}"
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_KINDS[finding.severity]} {shown}::{'%0A'.join(map(_data, _message(finding)))}"


def _message(finding: GroupedFinding) -> Iterator[str]:
    yield finding.first.message
    objects = finding.objects
    if objects:
        yield truncate(f"in {objects}")
    for note in finding.related[:_SHOWN]:
        yield f"{located(note.position.path, note.position.span.line)}: {note.message}"


def _line(text: str) -> str:
    return without_commands(printable(text))


def _data(text: str) -> str:
    return _line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
