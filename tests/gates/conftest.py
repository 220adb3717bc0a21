"""Gates tell their figures at the end of the run, passed or not."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
_FIGURES = pytest.StashKey[list[str]]()


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Adds a line to the run's summary."""
    return request.config.stash.setdefault(_FIGURES, []).append


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    figures = config.stash.get(_FIGURES, [])
    if figures:
        terminalreporter.section("figures of the gates")
        terminalreporter.write_line("\n".join(figures))


def python(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run this Python in the checkout; it has to succeed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        input=stdin,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def work(*what: str) -> dict[str, float]:
    """Seconds of CPU time that the works take in a process of their own."""
    figures: dict[str, float] = json.loads(python("-m", *what).stdout)
    return figures
