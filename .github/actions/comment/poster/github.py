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
_LONGEST_WAIT = 60  # seconds; a longer wait is an error
_MOST_BYTES = 32 * 1024 * 1024  # of an answer
_PER_PAGE = 100


class PostingError(Exception):
    """An error that a user must solve; its text is for the log."""


class LostError(PostingError):
    """GitHub failed or did not answer: it is unknown whether the request had an effect."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirection would carry the token to wherever it leads."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Api:
    """GitHub's REST API, and the GraphQL query for the user of the token."""

    def __init__(self, url: str, graphql_url: str, token: str) -> None:
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise PostingError("the token has invalid characters")
        self._url = url.rstrip("/")
        self._graphql_url = graphql_url
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirects)

    def pages(self, path: str, **query: str) -> Any:
        """Each member of a list, page by page."""
        for page in range(1, 1000):
            found = self.get(path, **query, per_page=str(_PER_PAGE), page=str(page))
            if not isinstance(found, list):
                raise PostingError(f"the answer of GitHub to {path} is not a list")
            yield from found
            if len(found) < _PER_PAGE:
                return

    def get(self, path: str, **query: str) -> Any:
        """The resource."""
        return self._patiently("GET", f"{self._url}{path}?{urllib.parse.urlencode(query)}")

    def patch(self, path: str, body: Any) -> Any:
        """Change the resource. A failure is tried again, because a second change has no effect."""
        return self._patiently("PATCH", self._url + path, body)

    def post(self, path: str, body: Any) -> Any:
        """Create a resource. Only a rejected request is tried again; raises LostError if the result is unknown."""
        return self._patiently("POST", self._url + path, body, tries_lost=1)

    def login(self) -> str:
        """The user of the token. The token of a job cannot request /user of REST."""
        answer = self._patiently("POST", self._graphql_url, {"query": "query { viewer { login } }"})
        try:
            return str(answer["data"]["viewer"]["login"])
        except (KeyError, TypeError):
            raise PostingError("GitHub did not return the user of the token") from None

    def _patiently(self, method: str, url: str, body: Any = None, tries_lost: int = _TRIES) -> Any:
        for tried in range(1, _TRIES + 1):
            try:
                return self._once(method, url, body)
            except _LaterError as later:
                if tried == _TRIES or (later.is_lost and tried >= tries_lost):
                    raise (LostError if later.is_lost else PostingError)(str(later)) from None
                wait = later.seconds if later.seconds is not None else 2 ** (tried - 1)
            if wait > _LONGEST_WAIT:
                raise PostingError(f"GitHub requests a wait of {wait} s; run this job again after that")
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _once(self, method: str, url: str, body: Any) -> Any:
        what = f"{method} {urllib.parse.urlsplit(url).path}"
        try:
            with self._opener.open(self._request(method, url, body), timeout=_TIMEOUT) as answer:
                return _parsed(answer.read(_MOST_BYTES + 1), what)
        except urllib.error.HTTPError as error:
            with error:
                raise self._rejection(error, what) from None
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

    def _rejection(self, error: urllib.error.HTTPError, what: str) -> PostingError:
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
        """The message of GitHub, cut, and without the token."""
        try:
            message = str(json.loads(error.read(_MOST_BYTES))["message"])
        except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
            return ""
        shown = "".join(char if char.isprintable() else " " for char in message.replace(self._token, "***"))
        return f" ({shown[:300]})"


class _LaterError(PostingError):
    """An error that may disappear after the number of seconds that GitHub returns."""

    def __init__(self, text: str, seconds: int | None, *, is_lost: bool) -> None:
        super().__init__(text)
        self.seconds = seconds
        self.is_lost = is_lost


def _seconds(error: urllib.error.HTTPError) -> int | None:
    """Seconds to wait: as requested, or until the hourly limit is reset."""
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
        raise PostingError(f"{what}: the answer of GitHub is not JSON") from None
