"""A proxy between the tool and the API server: it records every request, and lets chosen ones fail.

    with FaultProxy(plane) as proxy:
        proxy.on("PATCH", "/jobsets/", answer(429, retry_after=0), times=2)
        ...
        assert [one.line for one in proxy.requests if one.is_write] == [...]

A fault gets `forward`, which sends the request to the server, and returns the answer; None drops the connection.
"""

from __future__ import annotations

import http.client
import http.server
import json
import re
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self
from urllib.parse import parse_qs, urlsplit

from tests.cluster.canary import Canary
from tests.cluster.plane.plane import Plane

_HOP_BY_HOP = ("host", "connection", "accept-encoding", "content-length", "transfer-encoding")
_BIG = 1 << 40


class Request(NamedTuple):
    """A request as the server would get it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """Without the query."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, list[str]]:
        """The query."""
        return parse_qs(urlsplit(self.target).query)

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body) if self.body else {}

    @property
    def is_dry_run(self) -> bool:
        """Whether the server changes nothing."""
        return self.query.get("dryRun") == ["All"] or (self.method == "DELETE" and self.json.get("dryRun") == ["All"])

    @property
    def is_write(self) -> bool:
        """Whether the server may change something."""
        return self.method != "GET" and not self.is_dry_run

    @property
    def line(self) -> str:
        """Method and path."""
        return f"{self.method} {self.path}" + (" (dry run)" if self.is_dry_run else "")


class Answer(NamedTuple):
    """What the client gets; of a cut answer only the first bytes."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    sent: int = _BIG
    pause: float = 0.0
    """Seconds between two bytes of the body."""

    def write(self, file: IO[bytes]) -> None:
        """Write the body, or its first bytes."""
        whole = self.body[: self.sent]
        for part in (whole[at : at + 1] for at in range(len(whole))) if self.pause else [whole]:
            file.write(part)
            time.sleep(self.pause)


Forward = Callable[[], Answer | None]
Fault = Callable[[Forward], Answer | None]


def answer(status: int, message: str = "injected", retry_after: int | None = 0) -> Fault:
    """The answer of a server that does nothing; without a wait before the next try, if the client reads that."""
    reason = {401: "Unauthorized", 403: "Forbidden", 500: "InternalError", 429: "TooManyRequests"}.get(status, "")
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": status}
    headers = [("Content-Type", "application/json")]
    if retry_after is not None:
        headers.append(("Retry-After", str(retry_after)))
    return lambda _: Answer(status, headers, json.dumps({**body, "reason": reason}).encode())


def reset(_: Forward) -> Answer | None:
    """The connection drops before the server sees the request."""
    return None


def lost(forward: Forward) -> Answer | None:
    """The server does the work, and the connection drops."""
    forward()
    return None


def slow(seconds: float) -> Fault:
    """The server does the work and answers late."""

    def fault(forward: Forward) -> Answer | None:
        found = forward()
        time.sleep(seconds)
        return found

    return fault


def cut(size: int) -> Fault:
    """The connection drops in the middle of the answer."""

    def fault(forward: Forward) -> Answer | None:
        found = forward()
        return found and found._replace(sent=size)

    return fault


def drip(pause: float) -> Fault:
    """The server does the work, and each byte of the answer comes late."""

    def fault(forward: Forward) -> Answer | None:
        found = forward()
        return found and found._replace(pause=pause)

    return fault


def html(_: Forward) -> Answer | None:
    """The answer of something that is not an API server."""
    return Answer(200, [("Content-Type", "text/html")], b"<html>please sign in</html>")


def before(action: Callable[[], object]) -> Fault:
    """Something happens right before the server gets the request."""

    def fault(forward: Forward) -> Answer | None:
        action()
        return forward()

    return fault


def after(action: Callable[[], object]) -> Fault:
    """Something happens before the client gets the answer."""

    def fault(forward: Forward) -> Answer | None:
        found = forward()
        action()
        return found

    return fault


@dataclass
class Rule:
    """Which requests fail: after `skip` that match, `times` of them."""

    method: str
    pattern: re.Pattern[str]
    fault: Fault
    times: int
    skip: int
    only: Callable[[Request], bool]

    def takes(self, request: Request) -> bool:
        """Whether this request fails."""
        line = f"{request.target}{' (dry run)' if request.is_dry_run else ''}"
        if self.method not in ("", request.method) or not self.pattern.search(line) or self.times <= 0:
            return False
        if not self.only(request):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def shutdown_request(self, request: Any) -> None:
        self.close_request(request)  # without an orderly end: a dropped connection looks dropped

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients are killed here


@dataclass
class FaultProxy:
    """Serves on a port of its own until the block ends."""

    plane: Plane
    requests: list[Request] = field(default_factory=list)
    created: list[Request] = field(default_factory=list)
    """The requests that created an object, also if the client did not get the answer."""
    rules: list[Rule] = field(default_factory=list)
    canary: Canary = field(default_factory=Canary)
    sent: list[str] = field(default_factory=list)
    """The bodies of all requests except those for Secrets: no value of a Secret may be in them."""

    def __enter__(self) -> Self:
        settings = self.plane.settings
        self._lock = threading.Lock()
        self._trust = ssl.create_default_context(cafile=settings.certificate)
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        own.load_cert_chain(settings.certificate, settings.folder / "server.key")
        self._server.socket = own.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def on(
        self,
        method: str,
        pattern: str,
        fault: Fault,
        *,
        times: int = 1,
        skip: int = 0,
        only: Callable[[Request], bool] = lambda _: True,
    ) -> None:
        """Let requests fail: by method ("" for all) and a pattern of path and query; the first rule decides."""
        self.rules.append(Rule(method, re.compile(pattern), fault, times, skip, only))

    def clear(self) -> None:
        """Forget rules and requests."""
        self.rules.clear()
        self.requests.clear()
        self.created.clear()

    def kubeconfig(self, file: Path, namespace: str) -> None:
        """Write the administrator's kubeconfig through this proxy."""
        config = json.loads(self.plane.kubeconfig.read_text())
        config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{self.port}"
        config["contexts"][0]["context"]["namespace"] = namespace
        file.write_text(json.dumps(config))

    def handle(self, request: Request, forward: Callable[[Request], Answer | None]) -> Answer | None:
        """The answer of the server, or of a fault."""
        if "/secrets" in request.path and request.body:
            self.canary.learn(request.json)
        elif request.body:
            self.sent.append(request.body.decode())
        with self._lock:
            self.requests.append(request)
            fault = next((rule.fault for rule in self.rules if rule.takes(request)), None)

        def send() -> Answer | None:
            found = forward(request)
            if found and found.status == 201 and request.is_write:
                with self._lock:
                    self.created.append(request)
            return found

        return fault(send) if fault else send()

    @property
    def port(self) -> int:
        """Where it serves."""
        return int(self._server.server_address[1])

    def connect(self) -> http.client.HTTPSConnection:
        """A connection to the server."""
        port = self.plane.settings.ports["kube-apiserver"]
        return http.client.HTTPSConnection("127.0.0.1", port, timeout=300, context=self._trust)


def _relay(proxy: FaultProxy, request: Request, client: http.server.BaseHTTPRequestHandler) -> None:
    """Copy a watch as it comes, until either side ends it."""
    upstream = proxy.connect()
    headers = {key: value for key, value in request.headers.items() if key.lower() not in _HOP_BY_HOP}
    try:
        upstream.request(request.method, request.target, None, headers)
        response = upstream.getresponse()
        client.send_response_only(response.status, HTTPStatus(response.status).phrase)
        client.send_header("Content-Type", "application/json")
        client.send_header("Transfer-Encoding", "chunked")
        client.end_headers()
        while data := response.read1(65536):
            client.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        client.wfile.write(b"0\r\n\r\n")
    except (OSError, http.client.HTTPException):
        return  # the client or the server was killed
    finally:
        upstream.close()


def _handler(proxy: FaultProxy) -> type[http.server.BaseHTTPRequestHandler]:  # noqa: C901 - a class in a function
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        upstream: http.client.HTTPSConnection | None = None

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(self.command, self.path, dict(self.headers.items()), body)
            if request.query.get("watch") == ["true"] and not proxy.rules:
                proxy.requests.append(request)
                self.close_connection = True
                _relay(proxy, request, self)
                return
            found = proxy.handle(request, self.forward)
            if found is None or not self.reply(found):
                self.drop()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815

        def forward(self, request: Request) -> Answer | None:
            for _ in range(2):  # the server closes idle connections
                self.upstream = self.upstream or proxy.connect()
                headers = {key: value for key, value in request.headers.items() if key.lower() not in _HOP_BY_HOP}
                try:
                    self.upstream.request(request.method, request.target, request.body or None, headers)
                    response = self.upstream.getresponse()
                    kept = [each for each in response.getheaders() if each[0].lower() not in _HOP_BY_HOP]
                    return Answer(response.status, kept, response.read())
                except (OSError, http.client.HTTPException):
                    self.upstream.close()
                    self.upstream = None
            return None

        def reply(self, found: Answer) -> bool:
            self.send_response_only(found.status, HTTPStatus(found.status).phrase)
            for name, value in found.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(found.body)))
            self.end_headers()
            found.write(self.wfile)
            return found.sent >= len(found.body)

        def drop(self) -> None:
            linger = struct.pack("ii", 1, 0)  # a reset instead of an end
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.close_connection = True

        def log_message(self, *args: Any) -> None:
            pass

    return Handler
