"""The control plane that all scenarios of `apply` share, and a place for each of them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cluster import fake_nodes
from tests.cluster.apply.site import Site, open_site
from tests.cluster.plane.plane import Plane

NewSite = Callable[[], Site]
_PLAIN = {"spec": {"replicatedJobs": [{"template": {"spec": {"template": {"spec": {"containers": [{}]}}}}}]}}


@pytest.fixture(scope="session")
def plane(control_plane: type[Plane]) -> Iterator[Plane]:
    """JobSet, Trainer, and nodes on which Pods end at once."""
    with control_plane("jobset-manager", "trainer-manager", "kube-scheduler", "kwok") as plane:
        fake_nodes.furnish(plane.client, [_PLAIN])
        yield plane


@pytest.fixture
def new_site(plane: Plane, tmp_path: Path) -> Iterator[NewSite]:
    """Opens any number of places."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(open_site(plane, f"s{secrets.token_hex(4)}", tmp_path))


@pytest.fixture
def site(new_site: NewSite) -> Site:
    """A place of its own."""
    return new_site()


@pytest.fixture
def trainer_lease(plane: Plane) -> Iterator[Callable[[int], None]]:
    """Writes the Lease of Trainer's leader, renewed some seconds ago."""
    path = "/apis/coordination.k8s.io/v1/namespaces/kubeflow-system/leases/trainer.kubeflow.org"

    def write(age: int) -> None:
        renewed = f"{datetime.now(UTC) - timedelta(seconds=age):%Y-%m-%dT%H:%M:%S.%fZ}"
        spec = {"holderIdentity": "trainer", "leaseDurationSeconds": 15, "renewTime": renewed}
        head = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
        plane.client.apply(
            {**head, "metadata": {"name": "trainer.kubeflow.org", "namespace": "kubeflow-system"}, "spec": spec}, "t"
        )

    if not any(one["metadata"]["name"] == "kubeflow-system" for one in plane.client.items("v1", "Namespace")):
        plane.client.create_namespace("kubeflow-system")
    yield write
    plane.client.request("DELETE", path)
