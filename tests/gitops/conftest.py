"""The programs of Argo CD and Flux, and the control plane of all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster import fake_nodes
from tests.cluster.plane import programs as plane_programs
from tests.cluster.plane.plane import Plane
from tests.examples.examples import Built, build
from tests.gitops import programs
from tests.gitops.argocd import ArgoCd
from tests.gitops.flux import KustomizeController
from tests.tools import missing


@pytest.fixture(scope="session", autouse=True)
def all_programs() -> None:
    """Skip without the programs; in CI, fail."""
    if lacking := programs.lacking():
        missing(f"{', '.join(lacking)} not in {programs.folder()}; run tests/gitops/build")


@pytest.fixture(scope="package")
def example() -> Built:
    """The objects of the example that Argo CD delivers."""
    return build("overlays/vision/dev")


@pytest.fixture(scope="package")
def plane(all_programs: None, example: Built) -> Iterator[Plane]:  # noqa: ARG001
    """JobSet on fake nodes, which fit the example."""
    if lacking := plane_programs.lacking():
        missing(f"the control plane lacks {', '.join(lacking)}; run tests/cluster/build")
    jobsets = example.of_kind("JobSet")
    schedulers = fake_nodes.scheduler_names(jobsets)
    with Plane("jobset-manager", "kube-scheduler", "kwok", schedulers=schedulers) as plane:
        fake_nodes.furnish(plane.client, jobsets)
        yield plane


@pytest.fixture(scope="package")
def argo(plane: Plane) -> ArgoCd:
    """Argo CD with our plugin."""
    argo = ArgoCd(plane)
    argo.start()
    return argo


@pytest.fixture(scope="package")
def flux(plane: Plane) -> KustomizeController:
    """Flux, without sources."""
    controller = KustomizeController(plane)
    controller.start()
    return controller
