"""Reports about a cluster whose objects and errors want to be more than text: no line is a command of a CI system."""

from __future__ import annotations

import re
from collections.abc import Callable

from kubectl_trainjob.cli.controller import _line as line_of_outcome
from kubectl_trainjob.cli.suspend import _line as line_of_suspend
from kubectl_trainjob.cluster.controller.reconcile import Outcome
from kubectl_trainjob.cluster.controller.training_set import SetKey
from kubectl_trainjob.cluster.controller.verdict import Verdict
from kubectl_trainjob.cluster.desired_objects import DesiredObject
from kubectl_trainjob.cluster.doctor.values import DoctorCheck, DoctorReport
from kubectl_trainjob.cluster.jobs.status import JobStatus, RoleCounts
from kubectl_trainjob.cluster.result import ApplyResult, ObjectResult, set_named
from kubectl_trainjob.cluster.suspend import SuspendResult
from kubectl_trainjob.lint.fix.diff import diff_lines
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.report.cluster import apply, doctor, secrets
from kubectl_trainjob.report.cluster.status import StatusWriter
from kubectl_trainjob.report.phrases import as_lines, log_line, shown_lines
from kubectl_trainjob.repository.output.changed_files import FileChange
from tests.hostile.test_lint_reports import HOSTILE
from tests.loops import for_each
from tests.unit.report.lint.commands_read import commands


def _identity(text: str) -> ObjectId:
    return ObjectId(f"{text}/v1", text, text, text)


def _applied(output: str) -> Callable[[str], str]:
    def report(text: str) -> str:
        result = ObjectResult(_identity(text), "failed", text, text, (text,), text, text)
        return apply.format_report(ApplyResult(set_named("ConfigMap", "a", "b"), False, (result,), 1, 2, 3), output)

    return report


def _status(output: str) -> Callable[[str], str]:
    def report(text: str) -> str:
        roles = (RoleCounts(text, 1),)
        job = JobStatus(_identity(text), "Failed", text, text, text, text, queue=text, roles=roles)
        return StatusWriter(output, has_namespaces=True).written([job])

    return report


def _checks(output: str) -> Callable[[str], str]:
    return lambda text: doctor.format_report(DoctorReport((DoctorCheck(text, "error", text, text),), (text,)), output)


def _secrets(text: str) -> str:
    place = Place(Source(SourceFile(text, text)), ())
    return secrets.list_secrets([DesiredObject(_identity(text), {}, place, (text, text), text, makes="mpi")])


def _changed_file(text: str) -> str:
    return as_lines(diff_lines([FileChange(text, f"{text}\na: 1\n", f"{text}\na: 2\n")]))


_REPORTS: dict[str, Callable[[str], str]] = {
    **{f"apply -o {each}": _applied(each) for each in ("text", "name", "json", "yaml")},
    **{f"status -o {each}": _status(each) for each in ("text", "wide", "name", "json", "yaml")},
    **{f"doctor -o {each}": _checks(each) for each in ("text", "json")},
    "secrets": _secrets,
    "suspend": lambda text: line_of_suspend(SuspendResult(_identity(text), "suspended"), True),
    "controller": lambda text: shown_lines([line_of_outcome(Outcome(SetKey(text, text), Verdict(text, text)))]),
    "lint --diff": _changed_file,
}


@for_each("text", HOSTILE, at_least=88)
@for_each("report", _REPORTS, at_least=15)
def test_nothing_unseen_and_no_command_is_printed(report: Callable[[str], str], text: str) -> None:
    out = report(text)
    out.encode()
    assert printable(out.replace("\n", "").replace("\t", "")) == out.replace("\n", "").replace("\t", "")
    assert commands(out) == []


@for_each("text", HOSTILE, at_least=88)
def test_a_log_in_a_ci_system_has_no_command(text: str) -> None:
    lines = text.encode("utf-8", "surrogatepass").split(b"\n")
    out = b"".join(log_line(line, is_terminal=False) for line in lines).decode()
    assert commands(out) == []
    without_colour = re.sub("\x1b\\[[0-9;]*[mK]|[\n\t]", "", out)
    assert printable(without_colour) == without_colour


def test_a_log_on_a_terminal_has_colour_and_progress_bars_only() -> None:
    line = b"\x1b[31m 5%\r\x1b[K\tdone\x1b[0m \x1b]52;c;aGk=\x07\x1b[8m\x1b[2J\xff\xc2\x9b1A\r"
    shown = b"\x1b[31m 5%\r\x1b[K\tdone\x1b[0m \\x1b]52;c;aGk=\\x07\x1b[8m\\x1b[2J\\xff\\x9b1A\n"
    assert log_line(line, is_terminal=True) == shown
    assert log_line(b"a\r::add-mask::b", is_terminal=False) == b"a\\x0d::add-mask::b\n"
