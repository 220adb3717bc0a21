"""The command `build`: what goes where, and with which exit code."""

from __future__ import annotations

import io
import sys

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.faults import EnvironmentFault
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.rule import Rule, Severity
from kubectl_trainjob.source import Place, Source, SourceFile
from kubectl_trainjob.stages import Build, RequiredSecret
from tests.cli.conftest import Stages

ERROR = Rule("KTJ201", "runtime-not-found", "")
WARNING = Rule("KTJ502", "deprecated", "", Severity.WARNING)
PLACE = Place(Source(SourceFile("job.yaml", "kind: TrainJob")))
OBJECTS = ({"kind": "JobSet"}, {"kind": "PodGroup"})


def build(*arguments: str) -> int:
    return run("/usr/bin/kubectl-trainjob", ["build", *arguments])


def test_the_result_goes_to_stdout_alone(stages: Stages, capfd: pytest.CaptureFixture[str]) -> None:
    stages.result = Build(OBJECTS)
    assert build("job.yaml") == 0
    assert capfd.readouterr() == ("JobSet: ä\nPodGroup: ä\n", "")


def test_an_error_keeps_stdout_empty(stages: Stages, capfd: pytest.CaptureFixture[str]) -> None:
    stages.result = Build(OBJECTS, (RequiredSecret("", "a", "b"),), (Diagnostic(ERROR, "gone", PLACE),), ignored=1)
    assert build("job.yaml") == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err == "job.yaml:1:1: error KTJ201 runtime-not-found: gone\n  kind: TrainJob\n  ^\n"


def test_a_warning_does_not(stages: Stages, capfd: pytest.CaptureFixture[str]) -> None:
    stages.result = Build(OBJECTS, diagnostics=(Diagnostic(WARNING, "old", PLACE),))
    assert build("job.yaml") == 0
    out, err = capfd.readouterr()
    assert out == "JobSet: ä\nPodGroup: ä\n"
    assert err.startswith("job.yaml:1:1: warning KTJ502 deprecated: old\n")


def test_notes_name_secrets_in_order_and_count_what_was_ignored(
    stages: Stages, capfd: pytest.CaptureFixture[str]
) -> None:
    secrets = (
        RequiredSecret("b", "job-mpi-ssh-auth", "SSH keys"),
        RequiredSecret("a", "job-mpi-ssh-auth", "SSH keys"),
        RequiredSecret("", "job-flux-curve", "keys"),
        RequiredSecret("a", "job-mpi-ssh-auth", "SSH keys"),
    )
    stages.result = Build(OBJECTS, secrets, ignored=2)
    assert build("job.yaml") == 0
    assert capfd.readouterr().err == (
        "note: Secret job-flux-curve must exist: keys\n"
        "note: Secret a/job-mpi-ssh-auth must exist: SSH keys\n"
        "note: Secret b/job-mpi-ssh-auth must exist: SSH keys\n"
        "note: 2 documents without apiVersion and kind ignored\n"
    )


def test_trouble_with_the_environment(stages: Stages, capfd: pytest.CaptureFixture[str]) -> None:
    stages.fault = EnvironmentFault("jobs/\x1b[31m: no such file or directory")
    assert build("jobs") == 2
    assert capfd.readouterr() == ("", "error: jobs/\\x1b[31m: no such file or directory\n")


def test_an_interrupt_is_quiet(stages: Stages, capsys: pytest.CaptureFixture[str]) -> None:
    stages.fault = KeyboardInterrupt()
    assert build("jobs") == 130
    assert capsys.readouterr() == ("", "")


def test_a_bug_is_a_traceback(stages: Stages) -> None:
    stages.fault = RuntimeError("bug")
    with pytest.raises(RuntimeError, match="bug"):
        build("jobs")


def test_arguments_reach_the_stages(stages: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"kind: TrainJob")))
    assert (
        build("a.yaml", "-f", "-", "-f", "b", "-o", "json", "-n", "team-a", "--trainer-version", "2.2", "--allow-empty")
        == 0
    )
    assert stages.paths == ("a.yaml", "-", "b")
    assert stages.stdin == b"kind: TrainJob"
    assert vars(stages.options) == {"namespace": "team-a", "trainer_version": "2.2"}
    assert stages.rendered == "json"


def test_defaults(stages: Stages) -> None:
    stages.result = Build(OBJECTS)
    assert build("a.yaml") == 0
    assert vars(stages.options) == {"namespace": "", "trainer_version": ""}
    assert stages.rendered == "yaml"


@pytest.mark.usefixtures("stages")
def test_an_empty_result_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert build("a.yaml") == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("error: nothing to print: ")
    assert build("a.yaml", "--allow-empty") == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "nothing to build: name a file, a directory or - for standard input", id="no path"),
        pytest.param(
            ["x", "--trainer-version", "1.9"],
            'Trainer "1.9" is not supported; supported: 2.0, 2.1, 2.2, 2.3',
            id="version",
        ),
        pytest.param(["x", "-n", "Team A"], '"Team A" is no namespace', id="namespace"),
        pytest.param(["x", "-n", "a\x1b[31m"], '"a\\x1b[31m" is no namespace', id="control characters"),
        pytest.param(["x", "-o", "wide"], "'wide' is not one of 'yaml', 'json'", id="format"),
        pytest.param(["x", "--no-such"], "No such option", id="option"),
    ],
)
def test_a_wrong_command_line(
    arguments: list[str], message: str, stages: Stages, capfd: pytest.CaptureFixture[str]
) -> None:
    assert build(*arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("Usage: kubectl trainjob build ")
    assert message in err
    assert stages.paths == ()
