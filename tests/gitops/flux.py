"""Flux on a control plane: the kustomize-controller, and the artifacts that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import yaml

from tests.cluster.plane.plane import Plane
from tests.cluster.plane.settings import free_ports
from tests.gitops import programs
from tests.gitops.artifacts import Artifacts, archive_of

NAMESPACE = "flux-system"
_GATE = "--feature-gates=ExternalArtifact=true"
_APPLY = "kustomize.toolkit.fluxcd.io/v1"
Kustomization = dict[str, Any]


class KustomizeController:
    """Ends with its control plane. The server of artifacts and their status are of the tests."""

    def __init__(self, plane: Plane) -> None:
        self.client, self._plane = plane.client, plane

    def start(self) -> None:
        """Start it, with the flag that the manual names."""
        self._plane.install_crds(programs.crds("flux"))
        self.client.create_namespace(NAMESPACE)
        self._launch(_GATE)
        self._artifacts = Artifacts(self.client, self._plane.folder / "artifacts")

    @contextmanager
    def without_gate(self) -> Iterator[None]:
        """Run it as Flux is installed, without the flag."""
        self._plane.stop("kustomize-controller")
        self._launch()
        yield
        self._plane.stop("kustomize-controller")
        self._launch(_GATE)

    def _launch(self, *more: str) -> None:
        health = free_ports(("health",))["health"]
        flags = ["--metrics-addr", "0", "--health-addr", f"127.0.0.1:{health}", *more]
        fast = ["--min-retry-delay", "500ms", "--max-retry-delay", "5s", "--http-retry", "1"]
        environment = {"RUNTIME_NAMESPACE": NAMESPACE, "KUBECONFIG": str(self._plane.kubeconfig)}
        command = [programs.path("kustomize-controller"), *flags, *fast]
        self._plane.launch("kustomize-controller", command, environment)

    def publish(self, name: str, files: Mapping[str, bytes], kind: str = "ExternalArtifact") -> str:
        """Make files the content of the ExternalArtifact `name`, or of a source that exists; its revision."""
        return self._artifacts.publish(NAMESPACE, name, archive_of(files), kind)

    def wait_for(self, name: str, revision: str, status: str, namespace: str = NAMESPACE) -> Kustomization:
        """The Kustomization once its Ready has this status for a revision."""
        body = {"apiVersion": _APPLY, "kind": "Kustomization", "metadata": {"name": name, "namespace": namespace}}
        path = self.client.path(body)

        def is_so() -> bool:
            found = self.client.request("GET", path).get("status", {})
            return found.get("lastAttemptedRevision") == revision and ready({"status": found})["status"] == status

        try:
            self.client.wait(f"{name} is not Ready={status}", is_so)
        except TimeoutError as error:
            raise AssertionError(f"{error}\n{yaml.safe_dump(self.client.request('GET', path))[-6000:]}") from error
        found: Kustomization = self.client.request("GET", path)
        return found


def ready(kustomization: Kustomization) -> dict[str, str]:
    """The condition Ready."""
    conditions = kustomization["status"].get("conditions", [])
    return next((each for each in conditions if each["type"] == "Ready"), {"status": "", "reason": "", "message": ""})
