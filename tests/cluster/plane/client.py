"""A client of the API server: JSON over kept connections, one a thread."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

APPLY = "application/apply-patch+yaml"
_IDLE = 30  # seconds: the server closes a connection that is idle for 90
_LONGEST = 300  # seconds: a wait that succeeds does not take longer, also on a busy machine


class ApiError(Exception):
    """An answer of 400 or more; the text is the server's."""

    def __init__(self, status: int, body: Any) -> None:
        self.status = status
        self.message = body.get("message", str(body)) if isinstance(body, dict) else str(body)
        super().__init__(f"{status} {self.message}")


class Client:
    """Speaks to one server as one user."""

    def __init__(self, port: int, authority: Path, token: str) -> None:
        self._port, self._token = port, token
        self._tls = ssl.create_default_context(cafile=authority)
        self._kept = threading.local()
        self._resources: dict[tuple[str, str], tuple[str, bool]] = {}

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """The decoded answer; `body` is sent as it is when it is text, as JSON otherwise."""
        data = body if isinstance(body, str | None) else json.dumps(body, ensure_ascii=False)
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json", "Content-Type": content_type}
        try:
            connection = self._connection()
            connection.request(method, path, data.encode() if data is not None else None, headers)
            response = connection.getresponse()
            text = response.read().decode()
        except BaseException:
            self._kept.connection = None
            raise
        answer = json.loads(text) if text.startswith(("{", "[")) else text
        if response.status >= 400:
            raise ApiError(response.status, answer)
        return answer

    def create(self, body: Any, *, dry_run: bool = False) -> Any:
        """Create an object, strictly as kubectl does: an unknown or doubled field is an error."""
        return self.create_text(
            body, json.dumps(body, ensure_ascii=False), content_type="application/json", dry_run=dry_run
        )

    def create_namespace(self, name: str) -> None:
        """Create a namespace."""
        self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def create_text(
        self, body: Any, text: str, *, content_type: str = "application/yaml", dry_run: bool = False
    ) -> Any:
        """Create the object that `text` holds; `body` is what we know of it: apiVersion, kind and metadata."""
        query = "?fieldValidation=Strict" + ("&dryRun=All" if dry_run else "")
        return self.request("POST", self.path(body, collection=True) + query, text, content_type)

    def apply(self, body: Any, manager: str, *, force: bool = False) -> Any:
        """Apply an object server-side and strictly, as `kubectl apply --server-side`; `force` as --force-conflicts."""
        query = f"?fieldManager={manager}&fieldValidation=Strict" + ("&force=true" if force else "")
        return self.request("PATCH", self.path(body) + query, body, APPLY)

    def items(self, version: str, kind: str, fields: str = "") -> list[dict[str, Any]]:
        """All objects of a kind, in all namespaces; `fields` is a field selector."""
        plural, _ = self._resource(version, kind)
        query = f"?fieldSelector={fields}" if fields else ""
        listed = self.request("GET", f"{_base(version)}/{plural}{query}")["items"]
        return [{"apiVersion": version, "kind": kind, **item} for item in listed]

    def merge(self, body: Any, patch: Any) -> Any:
        """Change an object by a JSON merge patch."""
        return self.request("PATCH", self.path(body), patch, "application/merge-patch+json")

    def path(self, body: Mapping[str, Any], *, collection: bool = False) -> str:
        """The path of an object, or of the collection that it goes into."""
        version, metadata = body["apiVersion"], body.get("metadata") or {}
        plural, namespaced = self._resource(version, body["kind"])
        space = f"/namespaces/{metadata.get('namespace') or 'default'}" if namespaced else ""
        return f"{_base(version)}{space}/{plural}" + ("" if collection else f"/{metadata['name']}")

    def wait(self, what: str, ready: Callable[[], Any], timeout: float = _LONGEST) -> Any:
        """Ask until `ready` returns something true; rejected requests count as not yet."""
        deadline = time.monotonic() + timeout
        problem: Exception | None = None
        while time.monotonic() < deadline:
            try:
                if found := ready():
                    return found
            except (ApiError, OSError, http.client.HTTPException) as error:
                problem = error
            time.sleep(0.05)
        raise TimeoutError(f"{what} after {timeout:.0f} s" + (f": {problem}" if problem else "")) from problem

    def _connection(self) -> http.client.HTTPSConnection:
        kept: http.client.HTTPSConnection | None = getattr(self._kept, "connection", None)
        now = time.monotonic()
        if kept is None or now - self._kept.used > _IDLE:
            kept = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=_LONGEST, context=self._tls)
            self._kept.connection = kept
        self._kept.used = now
        return kept

    def _resource(self, version: str, kind: str) -> tuple[str, bool]:
        if (version, kind) not in self._resources:
            for one in self.request("GET", _base(version))["resources"]:
                if "/" not in one["name"]:
                    self._resources[version, one["kind"]] = one["name"], one["namespaced"]
        return self._resources[version, kind]


def _base(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"
