"""Pages over HTTP for probes and Prometheus."""

from __future__ import annotations

import http.server
import os
import shutil
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from kubectl_trainjob.model.faults import EnvironmentFault

Page = Callable[[], tuple[int, str]]


class _Server(http.server.ThreadingHTTPServer):
    """A server at an address; without a host, at all addresses of this machine."""

    daemon_threads = True

    def __init__(self, host: str, port: int, handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        is_everywhere = not host and socket.has_dualstack_ipv6()
        self.address_family = socket.AF_INET6 if is_everywhere or ":" in host else socket.AF_INET
        super().__init__((host, port), handler)

    def server_bind(self) -> None:
        """Serve IPv4, too: a cluster has IPv4, IPv6, or both."""
        if self.address_family is socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log bugs, not clients that go away."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def serve(address: str, pages: Mapping[str, Page]) -> int:
    """Serve pages at `HOST:PORT` until the process ends: the port. An address of "0" serves nothing."""
    return 0 if address == "0" else _listen(address, _handler(pages))


def serve_files(address: str, find: Callable[[str], str | None]) -> int:
    """Serve the files that `find` knows by their paths, until the process ends: the port."""
    return _listen(address, _file_handler(find))


def _listen(address: str, handler: type[http.server.BaseHTTPRequestHandler]) -> int:
    host, _, port = address.rpartition(":")
    try:
        server = _Server(host.strip("[]"), int(port), handler)
    except (OSError, ValueError, OverflowError) as error:
        raise EnvironmentFault(f"cannot listen at {address}: {error}") from None
    threading.Thread(target=server.serve_forever, daemon=True, name=f"serve {address}").start()
    return int(server.server_address[1])


def _file_handler(find: Callable[[str], str | None]) -> type[http.server.BaseHTTPRequestHandler]:
    class FileHandler(http.server.BaseHTTPRequestHandler):
        timeout = 60.0

        def do_GET(self) -> None:
            found = find(self.path)
            try:
                file = open(found or "", "rb")  # noqa: SIM115
            except OSError:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            with file:
                self.send_response(HTTPStatus.OK)
                self.send_header("Content-Type", "application/gzip")
                self.send_header("Content-Length", str(os.fstat(file.fileno()).st_size))
                self.end_headers()
                shutil.copyfileobj(file, self.wfile)

        def log_message(self, *_arguments: Any) -> None:
            """Each reader of an artifact comes at each interval: it is not logged."""

    return FileHandler


def _handler(pages: Mapping[str, Page]) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 10.0

        def do_GET(self) -> None:
            page = pages.get(self.path.partition("?")[0])
            status, text = page() if page else (HTTPStatus.NOT_FOUND, "not found\n")
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            """Probes come every few seconds: they are not logged."""

    return Handler
