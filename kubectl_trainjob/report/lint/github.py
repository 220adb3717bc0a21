"""A lint report as commands to GitHub's runner, which shows them at the lines of a pull request.

    ::error file=jobs/mnist.yaml,line=14,endLine=14,col=11,endColumn=25,title=KTJ301 extended-resource-limit-missing::…

Of each kind GitHub shows ten for a step; the worst come first, and a notice says when there are more. Lines that are no
commands stay in the log. The escapes are those that the runner takes back (src/Runner.Common/ActionCommand.cs).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kubectl_trainjob.model.finding import LintReport
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report import commands
from kubectl_trainjob.report.grouped import GroupedFinding, group_findings
from kubectl_trainjob.report.lint.words import closing, not_judged
from kubectl_trainjob.report.sentence import in_short, written

_SHOWN = 10  # annotations of a kind in a step
_LONGEST = 2000  # characters of a message; the runner cuts at 4096
_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def as_github(report: LintReport) -> str:
    """A command for each finding, then what could not be judged and the counts.

    The notice about more findings than GitHub shows stands before those of severity info: behind ten of them it would
    not be shown itself.
    """
    findings = group_findings(report.results)
    told = closing(report, (each.severity for each in findings))
    worse = [each for each in findings if each.severity is not Severity.INFO]
    lines = [*map(_command, worse)]
    if any(count > _SHOWN for count in Counter(each.severity for each in findings).values()):
        words = f"{told}; GitHub shows the first {_SHOWN} of each kind, the log of this step has all"
        lines.append(f"::notice title=kubectl trainjob lint::{_data(words)}")
    lines += map(_command, findings[len(worse) :])
    lines += [f"note: {written(not_judged(each), _line)}" for each in report.unverifiable]
    return "".join(f"{line}\n" for line in [*lines, told])


def _command(finding: GroupedFinding) -> str:
    first = finding.first
    span = first.position.span
    properties = {"file": _path(first.position.path), "line": span.line, "endLine": span.end_line}
    if span.line == span.end_line:  # GitHub refuses columns of several lines
        properties |= {"col": span.column, "endColumn": span.end_column}
    properties["title"] = f"{first.rule.id} {first.rule.name}"
    told = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_KINDS[finding.severity]} {told}::{'%0A'.join(map(_data, _message(finding)))}"


def _message(finding: GroupedFinding) -> Iterator[str]:
    yield in_short(finding.first.message, _LONGEST)
    objects = finding.objects
    if objects:
        yield in_short(f"in {objects}")
    for note in finding.related[:_SHOWN]:
        yield f"{in_short(note.position.path)}:{note.position.span.line}: {in_short(note.message)}"


def _path(path: str) -> str:
    return path.removeprefix("./")


def _line(text: str) -> str:
    return commands.inside(printable(text))


def _data(text: str) -> str:
    return _line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
