"""How far a long build is: on a terminal, after a while, and gone in the end."""

import os
import pty
import select
import sys

import pytest

from kubectl_trainjob.cli import session as module
from kubectl_trainjob.cli.session import ProgressLine
from tests.cli.conftest import Repository
from tests.cli.manifests import PLAIN, train_job


class _Terminal:
    """A pty that becomes stderr when the test wants it: pytest puts its own in place before each test."""

    def __init__(self, patch):
        self._patch = patch
        self._inner, outer = pty.openpty()
        self._stderr = os.fdopen(outer, "w")

    def progress(self):
        self._patch.setattr(sys, "stderr", self._stderr)
        self._patch.setenv("TERM", "xterm")
        return ProgressLine()

    def shown(self):
        """All that was written; the kernel hands it on in parts, a moment later."""
        parts = []
        while select.select([self._inner], [], [], 0.1)[0]:
            parts.append(os.read(self._inner, 1 << 16))
        return b"".join(parts).decode()

    def close(self):
        self._stderr.close()
        os.close(self._inner)


@pytest.fixture
def terminal(monkeypatch):
    made = _Terminal(monkeypatch)
    yield made
    made.close()


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when the test says so."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_nothing_is_shown_at_once(terminal, clock):
    progress = terminal.progress()
    progress("reading files", 1, 0)
    assert terminal.shown() == ""
    clock[0] = 1.5
    progress("reading files", 2, 0)
    assert terminal.shown() == "\r\x1b[Kreading files 2 ..."


def test_the_line_is_written_over_and_cleared(terminal, clock):
    progress = terminal.progress()
    for clock[0], done in ((2.0, 64), (2.01, 128), (2.2, 192)):
        progress("compiling TrainJobs", done, 150)
    progress.__exit__()
    assert terminal.shown() == "\r\x1b[Kcompiling TrainJobs 64/150 ...\r\x1b[Kcompiling TrainJobs 150/150 ...\r\x1b[K"
    progress.__exit__()


@pytest.mark.parametrize("term", ["dumb", ""])
def test_no_terminal_no_progress(clock, capfd, monkeypatch, term):
    monkeypatch.setenv("TERM", term)
    progress = ProgressLine()
    clock[0] = 9.0
    progress("reading files", 1, 0)
    progress.__exit__()
    assert capfd.readouterr() == ("", "")


def test_a_build_reports_how_far_it_is(repository: Repository, monkeypatch):
    reported = []
    monkeypatch.setattr(ProgressLine, "__call__", lambda _self, *what: reported.append(what))
    jobs = {f"jobs/{n}.yaml": [train_job(f"job-{n}", "plain")] for n in range(3)}
    repository.write(jobs | {"runtimes/r.yaml": [PLAIN]})
    assert repository.build("jobs").exit_code == 0
    assert [what for what in reported if what[0] == "reading files"][-1][1] == 4
    assert ("compiling TrainJobs", 0, 3) in reported
