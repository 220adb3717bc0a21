"""The control plane's programs and the inputs."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from tests.cluster.commands import Program, opened
from tests.cluster.inputs import Job, jobs_of
from tests.cluster.plane import programs
from tests.cluster.plane.plane import Plane
from tests.conformance.cases import load
from tests.tools import missing


@pytest.fixture(scope="session")
def control_plane() -> type[Plane]:
    """`Plane`; where a program or manifest is not there, the test is skipped (in CI: fails)."""
    if lacking := programs.lacking():
        missing(f"the control plane lacks {', '.join(lacking)} in {programs.folder()}; run tests/cluster/build")
    return Plane


@pytest.fixture(scope="module")
def program(plane: Plane) -> Iterator[Program]:
    """The program as a user of the `plane` of a module."""
    with opened(plane) as program:
        yield program


@pytest.fixture
def namespace(plane: Plane) -> str:
    """A namespace of its own."""
    name = f"t-{secrets.token_hex(4)}"
    plane.client.create_namespace(name)
    return name


@pytest.fixture(scope="session")
def suspended(control_plane: type[Plane]) -> list[Job]:  # noqa: ARG001 - nothing is built in vain
    """Every TrainJob of every recorded input of 2.3, suspended unless its input says otherwise."""
    return [job for number, case in enumerate(load("2.3")) for job in jobs_of(case, f"c{number}", suspend=True)]
