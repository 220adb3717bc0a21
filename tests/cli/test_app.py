"""The program as people start it: as a process, under its three names, interrupted and cut off."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_trainjob import __version__
from kubectl_trainjob.cli.app import program_name
from tests.commands import call as run_here
from tests.tools import require

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ["build", str(ROOT / "runtimes"), str(ROOT / "overlays" / "fashion-mnist")]
MODULE = [sys.executable, "-m", "kubectl_trainjob"]
MODULE_PATH = "/x/kubectl_trainjob/__main__.py"


def call(*command: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)  # type: ignore[call-overload]


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


@pytest.fixture
def as_plugin() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Calls real kubectl with this project's console script on PATH."""
    kubectl, plugin = require("kubectl"), Path(require("kubectl-trainjob"))
    path = f"{plugin.parent}{os.pathsep}{os.environ['PATH']}"
    return lambda *arguments: call(kubectl, "trainjob", *arguments, env={**os.environ, "PATH": path})


def test_kubectl_finds_the_plugin(as_plugin: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = as_plugin("build", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: kubectl trainjob build [OPTIONS] [PATH...]\n")
    assert "Examples:\n" in done.stdout


def test_the_plugin_and_the_module_build_the_same(as_plugin: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    plugin, module = as_plugin(*EXAMPLE), call(*MODULE, *EXAMPLE)
    assert (plugin.returncode, plugin.stderr) == (module.returncode, module.stderr) == (0, "")
    assert plugin.stdout == module.stdout
    assert plugin.stdout.startswith("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n")


def test_module_shows_its_version() -> None:
    done = call(*MODULE, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"kubectl-trainjob {__version__}\n", "")


def test_without_a_command_help_goes_to_stderr() -> None:
    done = call(*MODULE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Commands:\n  build " in done.stderr


def commands() -> list[str]:
    """The commands that the help text shows."""
    shown = run_here(ROOT, "--help").stdout.partition("\nCommands:\n")[2]
    return re.findall(r"^  (\S+)", shown, re.MULTILINE)


def test_every_command_shown_has_a_help_of_its_own() -> None:
    names = commands()
    assert {"build", "init", "completion"} <= set(names)
    for name in names:
        done = run_here(ROOT, name, "--help", program=MODULE_PATH)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"Usage: python -m kubectl_trainjob {name} ")


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        pytest.param("buidl", 'unknown command "buidl"; did you mean "build"?', id="near build"),
        pytest.param("completions", 'unknown command "completions"; did you mean "completion"?', id="near completion"),
        pytest.param("x\x1b]0;", 'unknown command "x\\x1b]0;"; the commands are: {commands}', id="far"),
    ],
)
def test_an_unknown_command_gets_the_nearest(word: str, hint: str) -> None:
    done = run_here(ROOT, word)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"error: {hint.format(commands=', '.join(commands()))}\n")


@pytest.mark.parametrize("arguments", [pytest.param(["--help"], id="help"), pytest.param(EXAMPLE, id="build")])
def test_a_closed_pipe_is_quiet(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*MODULE, *arguments], stdout=writer, stderr=subprocess.PIPE, timeout=600, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_is_quiet() -> None:
    started = subprocess.Popen(
        [*MODULE, "build", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONVERBOSE": "1",
        },  # says on stderr which modules are loaded: the last ones before it reads
    )
    assert started.stderr is not None
    for line in started.stderr:
        if b"import 'kubectl_trainjob.repository.files.read'" in line:
            break
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=600)
    assert (started.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert b"KeyboardInterrupt" not in err


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    done = call(*MODULE, "build", str(tmp_path / "none.yaml"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {tmp_path / 'none.yaml'}: No such file or directory\n"


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_the_locale_changes_no_byte(locale: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {ä: 模型}\n", "utf-8")
    env = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*MODULE, "build", str(tmp_path)], capture_output=True, env=env, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "  ä: 模型\n" in done.stdout.decode()
