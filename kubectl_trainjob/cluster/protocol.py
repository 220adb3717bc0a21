"""One HTTP request to the API server, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote

APPLY_PATCH = "application/apply-patch+yaml"
MERGE_PATCH = "application/merge-patch+json"
METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = METADATA_ONLY.replace("Metadata;", "MetadataList;")
NO_ANSWER = 0
"""The status of a request that was not answered: no connection, a reset, a timeout, a cut answer."""
UNTRUSTED = -1
"""The status of a request that was not sent, because the certificate of the server is not valid for us."""


class ApiRequest(NamedTuple):
    """A request; `body` is plain JSON, None for none."""

    method: str
    path: str
    query: Mapping[str, str] = MappingProxyType({})
    body: Any = None
    content_type: str = "application/json"
    accept: str = "application/json"
    repeatable: float = float("inf")
    """Seconds after which a request without an answer is not sent again: its effect may already be undone."""

    @property
    def url(self) -> str:
        """Path and query, encoded."""
        pairs = "&".join(f"{quote(key)}={quote(value, safe='', errors='replace')}" for key, value in self.query.items())
        return f"{self.path}?{pairs}" if pairs else self.path

    @property
    def is_dry_run(self) -> bool:
        """Whether the server must change nothing."""
        in_body = isinstance(self.body, dict) and self.body.get("dryRun") == ["All"]
        return self.query.get("dryRun") == "All" or in_body

    @property
    def is_write(self) -> bool:
        """Whether the request can change the cluster; access reviews cannot."""
        return self.method != "GET" and not self.is_dry_run and "/selfsubject" not in self.path


class ApiAnswer(NamedTuple):
    """An answer; `body` is decoded JSON, else the text. Without an answer it says why."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})

    @property
    def is_success(self) -> bool:
        """Whether the server did what was requested."""
        return 200 <= self.status < 300

    @property
    def message(self) -> str:
        """What the server says about an error."""
        return str(self.body.get("message", "")) if isinstance(self.body, dict) else str(self.body or "")

    @property
    def details(self) -> Mapping[str, Any]:
        """The details of an error."""
        found = self.body.get("details") if isinstance(self.body, dict) else None
        return found if isinstance(found, dict) else {}


class Connection(Protocol):
    """A way to one cluster, as one user."""

    namespace: str
    """The namespace of the context."""

    def send(self, request: ApiRequest, timeout: float) -> ApiAnswer:
        """One request, without any retry; `timeout` in seconds."""

    def lines(self, request: ApiRequest, timeout: float, handle: Callable[[bytes], bool]) -> ApiAnswer:
        """A request whose answer is a stream: `handle` gets each line, and ends the stream if it returns False."""

    def renew(self) -> None:
        """Get new credentials."""


class Clock(NamedTuple):
    """Time and chance: `monotonic` in seconds, `sleep`, and `jitter`, a random number from 0 to 1."""

    monotonic: Callable[[], float]
    sleep: Callable[[float], None]
    jitter: Callable[[], float]
