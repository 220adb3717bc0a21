"""The control plane's programs, the inputs, and what the tests tell at the end of a run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.inputs import Job, jobs_of
from tests.cluster.plane import programs
from tests.cluster.plane.plane import Plane
from tests.conformance.cases import load
from tests.tools import missing

TOLD: list[str] = []


@pytest.fixture(scope="session")
def control_plane() -> type[Plane]:
    """`Plane`; where a program or manifest is not there, the test is skipped (in CI: fails)."""
    if lacking := programs.lacking():
        missing(f"the control plane lacks {', '.join(lacking)} in {programs.folder()}; run tests/cluster/build")
    return Plane


@pytest.fixture(scope="session")
def suspended(control_plane: type[Plane]) -> list[Job]:  # noqa: ARG001 - nothing is built in vain
    """Every TrainJob of every recorded input of 2.3, suspended unless its input says otherwise."""
    return [job for number, case in enumerate(load("2.3")) for job in jobs_of(case, f"c{number}", suspend=True)]


@pytest.fixture(scope="session")
def told() -> list[str]:
    """Lines for the end of the run: how much was compared, and what was left out for which reason."""
    return TOLD


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The lines of all tests."""
    if TOLD:
        terminalreporter.section("agreement with the controllers")
        for line in TOLD:
            terminalreporter.write_line(line)
