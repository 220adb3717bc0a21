"""Requests to GitHub's API: only what commenting needs, patient, and silent about the token."""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

_TRIES = 4
_TIMEOUT = 30  # seconds for one answer
_LONGEST_WAIT = 60  # seconds; who asks for more gets an error instead
_MOST_BYTES = 32 * 1024 * 1024  # of an answer
_PER_PAGE = 100


class PostingError(Exception):
    """Something that a person has to look at; its text is made for the log."""


class LostError(PostingError):
    """GitHub failed, or did not answer: whether it did what it was asked for is not known."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirection would carry the token to wherever it leads."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Api:
    """GitHub's REST API, and as much GraphQL as is needed to know oneself."""

    def __init__(self, url: str, graphql_url: str, token: str) -> None:
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise PostingError("the token has characters that no token has")
        self._url = url.rstrip("/")
        self._graphql_url = graphql_url
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirects)

    def pages(self, path: str, **query: str) -> Any:
        """Each member of a list, page by page."""
        for page in range(1, 1000):
            found = self.get(path, **query, per_page=str(_PER_PAGE), page=str(page))
            if not isinstance(found, list):
                raise PostingError(f"GitHub's answer to {path} is no list")
            yield from found
            if len(found) < _PER_PAGE:
                return

    def get(self, path: str, **query: str) -> Any:
        """What is there."""
        return self._patiently("GET", f"{self._url}{path}?{urllib.parse.urlencode(query)}")

    def patch(self, path: str, body: Any) -> Any:
        """Change what is there; twice is as good as once, so a failure is tried again."""
        return self._patiently("PATCH", self._url + path, body)

    def post(self, path: str, body: Any) -> Any:
        """Make something. Nothing is tried again but what GitHub declined: raises LostError when that is not known."""
        return self._patiently("POST", self._url + path, body, tries_lost=1)

    def login(self) -> str:
        """Whose token it is. An installation's token, as a job has it, may not ask REST's /user."""
        answer = self._patiently("POST", self._graphql_url, {"query": "query { viewer { login } }"})
        try:
            return str(answer["data"]["viewer"]["login"])
        except (KeyError, TypeError):
            raise PostingError("GitHub does not say whose token this is") from None

    def _patiently(self, method: str, url: str, body: Any = None, tries_lost: int = _TRIES) -> Any:
        for tried in range(1, _TRIES + 1):
            try:
                return self._once(method, url, body)
            except _LaterError as later:
                if tried == _TRIES or (later.is_lost and tried >= tries_lost):
                    raise (LostError if later.is_lost else PostingError)(str(later)) from None
                wait = later.seconds if later.seconds is not None else 2 ** (tried - 1)
            if wait > _LONGEST_WAIT:
                raise PostingError(f"GitHub asks to wait {wait} s; run this job again then")
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _once(self, method: str, url: str, body: Any) -> Any:
        what = f"{method} {urllib.parse.urlsplit(url).path}"
        try:
            with self._opener.open(self._request(method, url, body), timeout=_TIMEOUT) as answer:
                return _parsed(answer.read(_MOST_BYTES + 1), what)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error, what) from None
        except (OSError, http.client.HTTPException) as error:
            raise _LaterError(f"{what}: no answer ({type(error).__name__})", None, is_lost=True) from None

    def _request(self, method: str, url: str, body: Any) -> urllib.request.Request:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "User-Agent": "kubectl-trainjob",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if body is None:
            return urllib.request.Request(url, method=method, headers=headers)
        headers["Content-Type"] = "application/json"
        return urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)

    def _refusal(self, error: urllib.error.HTTPError, what: str) -> PostingError:
        code, said = error.code, self._said(error)
        text = f"{what}: GitHub answers {code}{said}"
        is_limited = error.headers.get("Retry-After") or error.headers.get("X-RateLimit-Remaining") == "0"
        if code == 429 or (code == 403 and is_limited):
            return _LaterError(text, _seconds(error), is_lost=False)
        if code >= 500:
            return _LaterError(text, _seconds(error), is_lost=True)
        if code in (401, 403, 404):
            return PostingError(f"{text}; the job needs `permissions: {{pull-requests: write}}`")
        return PostingError(text)

    def _said(self, error: urllib.error.HTTPError) -> str:
        """GitHub's own words, in short, without what is not theirs to say."""
        try:
            message = str(json.loads(error.read(_MOST_BYTES))["message"])
        except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
            return ""
        shown = "".join(char if char.isprintable() else " " for char in message.replace(self._token, "***"))
        return f" ({shown[:300]})"


class _LaterError(PostingError):
    """Worth another try, in as many seconds as GitHub says."""

    def __init__(self, text: str, seconds: int | None, *, is_lost: bool) -> None:
        super().__init__(text)
        self.seconds = seconds
        self.is_lost = is_lost


def _seconds(error: urllib.error.HTTPError) -> int | None:
    """How long to wait: as asked for, or until the hourly limit begins anew."""
    after, reset = error.headers.get("Retry-After", ""), error.headers.get("X-RateLimit-Reset", "")
    if after.isascii() and after.isdigit():
        return int(after[:9])
    if error.headers.get("X-RateLimit-Remaining") == "0" and reset.isascii() and reset.isdigit():
        return max(1, int(reset[:12]) - int(time.time()))
    return None


def _parsed(content: bytes, what: str) -> Any:
    try:
        return json.loads(content[:_MOST_BYTES])
    except ValueError:
        raise PostingError(f"{what}: GitHub's answer is no JSON") from None
