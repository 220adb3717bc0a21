"""A server that answers as GitHub's API does, and keeps every request as it came."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

BOT = "github-actions[bot]"


@dataclass(frozen=True)
class Asked:
    """One request; the body as JSON, None without."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any

    @property
    def line(self) -> str:
        """Method, path and query as a reader writes them."""
        query = "&".join(f"{key}={value}" for key, value in self.query.items())
        return f"{self.method} {self.path}{'?' if query else ''}{query}"


@dataclass
class GitHub:
    """What is there: pull requests, the comments of number 7; and the answers that come before the right ones."""

    pulls: list[Any] = field(default_factory=list)
    comments: list[Any] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    failures: dict[str, list[tuple[int, dict[str, str], Any]]] = field(default_factory=dict)  # by method and path
    done_though_failed: bool = False  # a failing POST has made the comment
    url: str = ""

    def answer(self, asked: Asked) -> tuple[int, dict[str, str], Any]:
        """Status, headers and body."""
        failures = self.failures.get(f"{asked.method} {asked.path}")
        if failures:
            if self.done_though_failed:
                self._right(asked)
            return failures.pop(0)
        return self._right(asked)

    def _right(self, asked: Asked) -> tuple[int, dict[str, str], Any]:
        match asked.method, asked.path.strip("/").split("/"):
            case "GET", ["repos", "acme", "train", "pulls"]:
                return 200, {}, _page(self.pulls, asked)
            case "POST", ["graphql"]:
                return 200, {}, {"data": {"viewer": {"login": BOT}}}
            case "GET", ["repos", "acme", "train", "issues", "7", "comments"]:
                return 200, {}, _page(self.comments, asked)
            case "POST", ["repos", "acme", "train", "issues", "7", "comments"]:
                made = {"id": 1000 + len(self.comments), "user": {"login": BOT}, "body": asked.body["body"]}
                self.comments.append(made)
                return 201, {}, made
            case "PATCH", ["repos", "acme", "train", "issues", "comments", number]:
                (comment,) = [each for each in self.comments if each["id"] == int(number)]
                comment["body"] = asked.body["body"]
                return 200, {}, comment
        return 404, {}, {"message": "Not Found"}


def _page(everything: list[Any], asked: Asked) -> list[Any]:
    size, page = int(asked.query["per_page"]), int(asked.query["page"])
    assert size <= 100
    return everything[size * (page - 1) : size * page]


@contextmanager
def served(github: GitHub) -> Iterator[GitHub]:
    """The server under `github.url`."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            parts = urlsplit(self.path)
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(content) if content else None
            asked = Asked(self.command, parts.path, dict(parse_qsl(parts.query)), dict(self.headers), body)
            github.asked.append(asked)
            status, headers, reported = github.answer(asked)
            content = reported if isinstance(reported, bytes) else json.dumps(reported).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    github.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield github
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
