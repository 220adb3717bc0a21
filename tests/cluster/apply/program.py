"""The tool in a process of its own, which a test can kill; forked from a process that has its modules loaded."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import NamedTuple

_PAUSE = 0.02  # of the longest random pause between two tries: the tests do not wait for a server to recover
# start() reads the exit codes of all earlier processes. Two threads that read one code get 255 once.
_CODES = threading.Lock()
_LOADED = (
    "tests.cluster.apply.program",
    "kubectl_trainjob.cli.app",
    "kubectl_trainjob.cli.apply",
    "kubectl_trainjob.cli.controller",
    "kubectl_trainjob.cli.session",
    "kubectl_trainjob.cli.planning",
    "kubectl_trainjob.cluster.apply",
    "kubectl_trainjob.cluster.connection",
    "kubectl_trainjob.cluster.controller.reconcile",
    "kubectl_trainjob.cluster.controller.shadow",
    "kubectl_trainjob.cluster.exec_plugin",
    "kubectl_trainjob.cluster.live_diff",
    "kubectl_trainjob.cluster.login",
    "kubectl_trainjob.cluster.plan",
    "kubectl_trainjob.cluster.wait",
    "kubectl_trainjob.report.cluster.apply",
    "kubectl_trainjob.repository.files.read",
    "kubectl_trainjob.repository.output.render",
    "cryptography.hazmat.primitives.asymmetric.x25519",
    "cryptography.hazmat.primitives.serialization.ssh",
    "kubernetes.client",
    "kubernetes.config",
    "urllib3",
)


class Ended(NamedTuple):
    """How a run ended: the exit code, negative for a signal, and what it printed."""

    code: int
    out: str
    err: str


class Program:
    """One run. The process starts at once."""

    def __init__(self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(_LOADED))
        output = "keys" if arguments[0] == "secrets" and "-o" in arguments else "out"
        self._files = [folder.parent / f"{folder.name}.{os.urandom(4).hex()}.{name}" for name in (output, "err")]
        names = [str(file) for file in self._files]
        self._process = context.Process(target=_main, args=(list(arguments), str(folder), dict(environment), names))
        with _CODES:
            self._process.start()

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._process.pid
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()

    def send(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def end(self, timeout: float = 300) -> Ended:
        """Wait for the end."""
        wait([self._process.sentinel], timeout)
        with _CODES:
            code = self._process.exitcode
        if code is None:
            self._process.kill()
            raise AssertionError(f"the run did not end in {timeout} s: {self.texts()}")
        return Ended(code, *self.texts())

    def texts(self) -> list[str]:
        """What it printed to stdout and stderr."""
        return [file.read_text() for file in self._files]


def _main(arguments: list[str], folder: str, environment: dict[str, str], files: list[str]) -> None:
    from kubectl_trainjob.cli.app import run

    for number, name in enumerate(files, 1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = (os.fdopen(os.dup(number), "w") for number in (1, 2))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
    os.chdir(folder)
    os.environ.update(environment)
    random.random = lambda: _PAUSE  # type: ignore[method-assign]
    sys.exit(run("kubectl-trainjob", arguments))
