"""A kubelet's endpoint for logs, on loopback: the API server forwards requests for logs to it.

No kubelet can run here, because it needs containers. The Pods are fake; the way to their logs is real.
"""

from __future__ import annotations

import ssl
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


class Kubelet:
    """Serves `logs`: by Pod and container, lines with their times. A stream ends with `end`, or with `cut`."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self.logs = defaultdict[tuple[str, str], list[tuple[str, str]]](list)
        self.previous = defaultdict[tuple[str, str], list[tuple[str, str]]](list)
        self.requests: list[str] = []
        self.changed = threading.Condition()
        self.ended: set[tuple[str, str]] = set()
        self.cuts = self.count = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()

    def write(self, pod: str, *texts: str, container: str = "node") -> None:
        """Add lines to a log."""
        with self.changed:
            for text in texts:
                self.count += 1
                time = f"2026-11-24T10:{self.count // 60:02}:{self.count % 60:02}.000000000Z"
                self.logs[pod, container].append((time, text))
            self.changed.notify_all()

    def end(self, pod: str, container: str = "node") -> None:
        """End the container."""
        with self.changed:
            self.ended.add((pod, container))
            self.changed.notify_all()

    def restart(self, pod: str, container: str = "node") -> None:
        """End the container, and start it again with an empty log."""
        self.end(pod, container)
        with self.changed:
            self.previous[pod, container] = self.logs.pop((pod, container))
            self.ended.remove((pod, container))

    def cut(self) -> None:
        """Break all open streams."""
        with self.changed:
            self.cuts += 1
            self.changed.notify_all()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        kubelet = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                url = urlsplit(self.path)
                kubelet.requests.append(self.path)
                _, _, _, pod, container = url.path.split("/")
                query = {key: values[0] for key, values in parse_qs(url.query).items()}
                self.send_response(200)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                kubelet._serve(self, (pod, container), query)

            def chunk(self, text: str) -> None:
                data = text.encode()
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()

            def log_message(self, *_arguments: Any) -> None:
                pass

        return Handler

    def _serve(self, handler: Any, key: tuple[str, str], query: dict[str, str]) -> None:
        is_previous = query.get("previous") == "true"
        cuts, lines = self.cuts, self.previous[key] if is_previous else self.logs[key]
        position = max(len(lines) - int(query["tailLines"]), 0) if "tailLines" in query else 0
        since = query.get("sinceTime", "")[:19]
        while True:
            with self.changed:
                new, position = lines[position:], len(lines)
                if not new and query.get("follow") == "true" and not self._is_over(key, lines) and cuts == self.cuts:
                    self.changed.wait(1)
                    continue
            for time, text in new:
                if time[:19] >= since:
                    handler.chunk(f"{time} {text}\n" if query.get("timestamps") == "true" else f"{text}\n")
            if cuts != self.cuts:
                handler.close_connection = True
                handler.connection.close()
                return
            if query.get("follow") != "true" or (self._is_over(key, lines) and position == len(lines)):
                handler.wfile.write(b"0\r\n\r\n")
                return

    def _is_over(self, key: tuple[str, str], lines: list[tuple[str, str]]) -> bool:
        return key in self.ended or lines is not self.logs[key]
