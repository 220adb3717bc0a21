"""`python -m kubectl_trainjob build` in a process of its own: an ordinary user's, limited, and measured."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from unicodedata import category

PROJECT = Path(__file__).parents[2]
CANARY = "canary-5e1d"  # stands in every file outside of a repository, in git's own, and in the environment

_SECONDS = 10
_MEBIBYTES = 512
_PATIENCE = 600  # seconds until a process counts as hanging: others may keep the machine busy
_DROP_CAPABILITY = 24  # prctl's PR_CAPBSET_DROP
_OVERRIDES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: what lets root read files that forbid it
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True)
class ProcessResult:
    """How a build ended: its exit code, what it printed, seconds of processor time, and peak memory."""

    code: int
    out: str
    err: str
    seconds: float
    mebibytes: float

    def check(self, seconds: float = _SECONDS, mebibytes: float = _MEBIBYTES) -> None:
        """Assert all that holds for any input."""
        assert self.code in (0, 1, 2), f"{self.code}: {self.err[-2000:]}"
        assert "Traceback" not in self.err
        assert CANARY not in self.out + self.err
        assert _unprintable(self.out + self.err) == set()
        assert self.seconds <= seconds
        assert self.mebibytes <= mebibytes

    def check_rejected(self, *parts: str) -> None:
        """Assert that nothing was printed, and that the complaint has all parts."""
        self.check()
        assert (self.code in (1, 2), self.out) == (True, "")
        assert [part for part in parts if part not in self.err] == [], self.err


def build(directory: Path, *arguments: str, seconds: int = _SECONDS) -> ProcessResult:
    """Run the command in a directory."""
    return run([sys.executable, "-m", "kubectl_trainjob", "build", *arguments], directory, seconds)


# Starts the command that follows the pipe's number, waits for it, and writes what it took into the pipe. The kernel
# says of a process that it was as large as the one that it was forked from: so that must not be the tests' own.
_STARTER = """
import os, sys
os.set_inheritable(int(sys.argv[1]), False)
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
os.write(int(sys.argv[1]), f"{status} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}".encode())
"""


def run(command: list[str], directory: Path, seconds: int = _SECONDS) -> ProcessResult:
    """Run a command with our limits. One that takes longer than `_PATIENCE` ends with code -9."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPYCACHEPREFIX") if name in os.environ}
    environment = {**kept, "PYTHONPATH": str(PROJECT), "SECRET_TOKEN": CANARY}
    receiving, sending = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(receiving, "rb") as reported:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _STARTER, str(sending), *command],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            pass_fds=(sending,),
            start_new_session=True,
            preexec_fn=lambda: _confine(seconds),  # noqa: PLW1509 (no other thread of ours runs)
        )
        os.close(sending)
        alarm = threading.Timer(_PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
        alarm.start()
        status, took, peak = reported.read().split() or (signal.SIGKILL, 0, 0)
        process.wait()
        alarm.cancel()
        texts = [_text(file.seek(0) or file.read()) for file in (out, err)]
    return ProcessResult(os.waitstatus_to_exitcode(int(status)), *texts, float(took), int(peak) / 1024)


def _confine(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds + 5, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    if os.geteuid() == 0:
        for capability in _OVERRIDES:
            _LIBC.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)


def _text(data: bytes) -> str:
    return data.decode()  # what is no UTF-8 fails the test


def _unprintable(text: str) -> set[str]:
    """What a terminal would interpret, or a person not see."""
    return {char for char in text if char != "\n" and category(char)[0] in "CZ" and char != " "}
