"""Runs the command on an input, in a process of its own under limits, and says what is an error of the program."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import resource
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

import kubectl_trainjob
from kubectl_trainjob.cli.app import run as run_command
from tests.fuzz.inputs import Input

_SECONDS = 20  # of CPU time; a case takes a fraction of one
_MEBIBYTES = 600
_NOT_LOADED = ("kubectl_trainjob.cluster", "kubectl_trainjob.repository.templates.child", "kubectl_trainjob.__main__")
_UNPRINTABLE = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9\xae]|##\w*\[")


def error_of(case: Input) -> str:
    """What the program does that it must never do; "" if it does not."""
    with tempfile.TemporaryDirectory() as folder:
        for path, content in case.files.items():
            (Path(folder, "tree", path).parent).mkdir(parents=True, exist_ok=True)
            Path(folder, "tree", path).write_bytes(content)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # what the copy of this process begins with
        code, usage = _run(case.command, Path(folder))
        out, err = (Path(folder, each).read_bytes() for each in ("out", "err"))
    if b"Traceback (most recent call last)" in err:
        return err.decode(errors="replace")[-2000:]
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if usage.ru_utime + usage.ru_stime > _SECONDS / 2 or usage.ru_maxrss - before > _MEBIBYTES << 10:
        return f"{usage.ru_utime + usage.ru_stime:.1f} s of CPU time, {usage.ru_maxrss >> 10} MiB"
    if found := _UNPRINTABLE.search(out):
        return f"unprintable on stdout: {out[max(0, found.start() - 80) : found.end() + 20]!r}"
    return ""


def _run(command: tuple[str, ...], folder: Path) -> tuple[int, resource.struct_rusage]:
    _load()
    process = os.fork()
    if process == 0:
        _become(command, folder)
    _, status, usage = os.wait4(process, 0)
    return os.waitstatus_to_exitcode(status), usage


@cache
def _load() -> None:
    """Import once, for all processes, what the commands import."""
    for module in pkgutil.walk_packages(kubectl_trainjob.__path__, "kubectl_trainjob."):
        if not module.name.startswith(_NOT_LOADED):
            importlib.import_module(module.name)


def _become(command: tuple[str, ...], folder: Path) -> NoReturn:
    """Run the command in this copy of the process."""
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), number)
        sys.stdin = open(os.devnull)  # noqa: SIM115
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        os.chdir(folder / "tree")
        code = run_command("kubectl-trainjob", list(command))
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback

        os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(code)
