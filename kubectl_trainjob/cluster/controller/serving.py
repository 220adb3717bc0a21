"""Pages over HTTP for probes and Prometheus."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from kubectl_trainjob.model.faults import EnvironmentFault

Page = Callable[[], tuple[int, str]]


def serve(address: str, pages: Mapping[str, Page]) -> int:
    """Serve pages at `HOST:PORT` until the process ends: the port. An address of "0" serves nothing."""
    if address == "0":
        return 0
    host, _, port = address.rpartition(":")
    try:
        server = http.server.ThreadingHTTPServer((host, int(port)), _handler(pages))
    except (OSError, ValueError, OverflowError) as error:
        raise EnvironmentFault(f"cannot listen at {address}: {error}") from None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True, name=f"serve {address}").start()
    return int(server.server_address[1])


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
