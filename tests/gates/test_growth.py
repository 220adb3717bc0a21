"""The CPU time of a command grows at most a little more than what it reads: at N, 2N and 4N, without its start-up."""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.gates.axes import AXES, Axis

pytestmark = [pytest.mark.gate, pytest.mark.slow]

_EXPONENT = 1.3
_LEAST = 0.04  # seconds: less is noise
_MOST = 20  # seconds, whatever the size
_ROUNDS = 8  # at most, where the first ones are too slow


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """With compiled modules, as an installed package has them: the first run of each command compiles some."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found = {**kept, "PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("bytecode"))}
    for axis in {each.command[0]: each for each in AXES.values()}.values():
        seconds(axis, 1, found)
    return found


def seconds(axis: Axis, n: int, environment: dict[str, str]) -> float:
    """The CPU time of the command and of its children on files of a size."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".git").mkdir()
        for path, text in axis.of_size(n).items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text)
        process = subprocess.Popen(
            [sys.executable, "-m", "kubectl_trainjob", *axis.command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (_MOST, _MOST)),  # noqa: PLW1509
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), f"exit code {process.returncode} with {n}"
    return usage.ru_utime + usage.ru_stime


def exponent(times: list[float]) -> float:
    """Of the power of the size that the time at N and 4N grows with."""
    return math.log(max(times[2], _LEAST) / max(times[0], _LEAST), 4)


@pytest.mark.parametrize("name", AXES)
def test_time_grows_as_the_input(name: str, environment: dict[str, str], note_figure) -> None:
    axis = AXES[name]
    sizes = (1, axis.size, 2 * axis.size, 4 * axis.size)
    least = [math.inf] * len(sizes)
    for _ in range(_ROUNDS):
        least = [min(old, seconds(axis, n, environment)) for old, n in zip(least, sizes, strict=True)]
        times = [each - least[0] for each in least[1:]]
        if axis.bound or exponent(times) <= _EXPONENT:
            break
    shown = "  ".join(f"{each:5.2f}" for each in times)
    note_figure(f"{name:36} N = {axis.size:6}  N, 2N, 4N: {shown} s  {axis.bound or f'exponent {exponent(times):.2f}'}")
    assert axis.bound or exponent(times) <= _EXPONENT


def test_there_are_many_axes() -> None:
    assert len(AXES) >= 60
