"""Artifacts as the source-controller publishes them: archives over HTTP, and the status of a source."""

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
from pathlib import Path
from typing import Any

from tests.cluster.plane.client import Client

_SOURCE = "source.toolkit.fluxcd.io/v1"
_SPECS = {
    "GitRepository": {"url": "https://example.com/jobs.git", "interval": "1m"},
    "OCIRepository": {"url": "oci://example.com/jobs", "interval": "1m"},
    "Bucket": {"endpoint": "example.com", "bucketName": "jobs", "interval": "1m"},
    "ExternalArtifact": {},
}


class Artifacts:
    """A server of archives, which ends with the tests."""

    def __init__(self, client: Client, folder: Path) -> None:
        self._client, self.folder = client, folder
        folder.mkdir()
        handler = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
        serve = functools.partial(handler, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def create(self, namespace: str, name: str, kind: str) -> dict[str, Any]:
        """A source without an artifact."""
        metadata = {"name": name, "namespace": namespace}
        body = {"apiVersion": _SOURCE, "kind": kind, "metadata": metadata, "spec": _SPECS[kind]}
        found: dict[str, Any] = self._client.apply(body, "user")
        return found

    def publish(self, namespace: str, name: str, data: bytes, kind: str, **changes: Any) -> str:
        """Make an archive the artifact of a source, which an ExternalArtifact need not be yet: the revision."""
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        file = f"{name}-{digest[7:19]}.tar.gz"
        (self.folder / file).write_bytes(data)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        artifact = {
            "url": f"http://127.0.0.1:{self._server.server_port}/{file}",
            "path": file,
            "digest": digest,
            "revision": f"latest@{digest}",
            "lastUpdateTime": now,
            "size": len(data),
            **changes,
        }
        if kind == "ExternalArtifact":
            self.create(namespace, name, kind)
        self.status(namespace, name, kind, artifact=artifact)
        return str(artifact["revision"])

    def status(self, namespace: str, name: str, kind: str, message: str = "", **status: Any) -> None:
        """Write the status of a source; it is Ready unless a message says why not."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        state = {"status": "False", "reason": "Failed"} if message else {"status": "True", "reason": "Succeeded"}
        ready = {"type": "Ready", **state, "message": message, "lastTransitionTime": now}
        body = {"apiVersion": _SOURCE, "kind": kind, "metadata": {"name": name, "namespace": namespace}}
        path = f"{self._client.path(body)}/status?fieldManager=producer&force=true"
        sent = {**body, "status": {**status, "conditions": [ready]}}
        self._client.request("PATCH", path, sent, "application/apply-patch+yaml")


def archive_of(files: Mapping[str, bytes]) -> bytes:
    """Files as a tar file in gzip."""
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
