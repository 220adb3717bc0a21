"""The program as people start it: as a process, under its three names, interrupted and cut off."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kubectl_trainjob import __version__
from kubectl_trainjob.cli.app import program_name
from tests.tools import require

MODULE = [sys.executable, "-m", "kubectl_trainjob"]


def call(*command: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("argv0", "name"),
    [
        ("/usr/local/bin/kubectl-trainjob", "kubectl trainjob"),
        ("kubectl-trainjob.exe", "kubectl trainjob"),
        ("/x/kubectl_trainjob/__main__.py", "python -m kubectl_trainjob"),
    ],
)
def test_usage_names_the_program_as_it_was_called(argv0: str, name: str) -> None:
    assert program_name(argv0) == name


def test_kubectl_finds_and_runs_the_plugin() -> None:
    kubectl, plugin = require("kubectl"), Path(require("kubectl-trainjob"))
    path = f"{plugin.parent}{os.pathsep}{os.environ['PATH']}"
    done = call(kubectl, "trainjob", "build", "--help", env={**os.environ, "PATH": path})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: kubectl trainjob build [OPTIONS] PATH...\n")
    assert "Examples:\n" in done.stdout


def test_module_shows_its_version() -> None:
    done = call(*MODULE, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"kubectl-trainjob {__version__}\n", "")


def test_without_a_command_help_goes_to_stderr() -> None:
    done = call(*MODULE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Commands:\n  build " in done.stderr


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        pytest.param("buidl", 'unknown command "buidl"; did you mean "build"?', id="near"),
        pytest.param("x\x1b]0;", 'unknown command "x\\x1b]0;"; the commands are: build', id="far"),
    ],
)
def test_an_unknown_command_is_told_the_nearest(word: str, hint: str) -> None:
    done = call(*MODULE, word)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"error: {hint}\n")


def test_help_to_a_closed_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*MODULE, "--help"], stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_full_disk_is_trouble_with_the_environment() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    program = "from kubectl_trainjob.cli.streams import emit; emit(['a: 1\\n'])"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.endswith("EnvironmentFault: the result could not be written: No space left on device\n")
