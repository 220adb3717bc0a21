"""Flux on a control plane: the kustomize-controller, and the artifacts that it reads."""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import io
import tarfile
import threading
import time
from collections.abc import Mapping
from typing import Any

import yaml

from tests.cluster.plane.plane import Plane
from tests.cluster.plane.settings import free_ports
from tests.gitops import programs

NAMESPACE = "flux-system"
_SOURCE = "source.toolkit.fluxcd.io/v1"
_APPLY = "kustomize.toolkit.fluxcd.io/v1"
Kustomization = dict[str, Any]


class KustomizeController:
    """Ends with its control plane. The server of artifacts and their status are of the tests."""

    def __init__(self, plane: Plane) -> None:
        self.client, self._plane = plane.client, plane
        self._files = plane.folder / "artifacts"

    def start(self) -> None:
        """Start it, with the flag that the manual names."""
        plane, health = self._plane, free_ports(("health",))["health"]
        plane.install_crds(programs.crds("flux"))
        self.client.create_namespace(NAMESPACE)
        flags = ["--metrics-addr", "0", "--health-addr", f"127.0.0.1:{health}", "--feature-gates=ExternalArtifact=true"]
        fast = ["--min-retry-delay", "500ms", "--max-retry-delay", "5s", "--http-retry", "1"]
        environment = {"RUNTIME_NAMESPACE": NAMESPACE, "KUBECONFIG": str(plane.kubeconfig)}
        plane.launch("kustomize-controller", [programs.path("kustomize-controller"), *flags, *fast], environment)
        self._files.mkdir()
        handler = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
        serve = functools.partial(handler, directory=str(self._files))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def publish(self, name: str, files: Mapping[str, bytes], kind: str = "ExternalArtifact") -> str:
        """Make files the content of the ExternalArtifact `name`, or of a source that exists; its revision."""
        data = _archive(files)
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        file = f"{name}-{digest[7:19]}.tar.gz"
        (self._files / file).write_bytes(data)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        artifact = {
            "url": f"http://127.0.0.1:{self._server.server_port}/{file}",
            "path": file,
            "digest": digest,
            "revision": f"latest@{digest}",
            "lastUpdateTime": now,
            "size": len(data),
        }
        ready = {"type": "Ready", "status": "True", "reason": "Succeeded", "message": "", "lastTransitionTime": now}
        body = {"apiVersion": _SOURCE, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}}
        if kind == "ExternalArtifact":
            self.client.apply({**body, "spec": {}}, "producer")
        status = {**body, "status": {"artifact": artifact, "conditions": [ready]}}
        path = f"{self.client.path(body)}/status?fieldManager=producer&force=true"
        self.client.request("PATCH", path, status, "application/apply-patch+yaml")
        return str(artifact["revision"])

    def wait_for(self, name: str, revision: str, status: str) -> Kustomization:
        """The Kustomization once its Ready has this status for a revision."""
        body = {"apiVersion": _APPLY, "kind": "Kustomization", "metadata": {"name": name, "namespace": NAMESPACE}}
        path = self.client.path(body)

        def is_so() -> bool:
            found = self.client.request("GET", path).get("status", {})
            return found.get("lastAttemptedRevision") == revision and ready({"status": found})["status"] == status

        try:
            self.client.wait(f"{name} is not Ready={status}", is_so, 180)
        except TimeoutError as error:
            raise AssertionError(f"{error}\n{yaml.safe_dump(self.client.request('GET', path))[-6000:]}") from error
        found: Kustomization = self.client.request("GET", path)
        return found


def ready(kustomization: Kustomization) -> dict[str, str]:
    """The condition Ready."""
    conditions = kustomization["status"].get("conditions", [])
    return next((each for each in conditions if each["type"] == "Ready"), {"status": "", "reason": "", "message": ""})


def _archive(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for path, data in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()
