"""Reports about a cluster whose objects and errors want to be more than text: no line is a command of a CI system."""

from __future__ import annotations

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
from kubectl_trainjob.report.phrases import as_lines, shown_lines
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
