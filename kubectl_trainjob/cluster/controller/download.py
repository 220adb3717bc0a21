"""Downloads an artifact over HTTP, and checks its digest."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from typing import Any, BinaryIO, NamedTuple

from kubectl_trainjob import __version__

_ALGORITHMS = ("sha256", "sha384", "sha512")
_MOST_BYTES = 256 << 20
_QUIET = 15.0  # seconds without a byte
_PART = 1 << 16


class DownloadError(Exception):
    """An artifact cannot be downloaded, or is another one."""


class Artifact(NamedTuple):
    """What a source of Flux publishes. `time` is RFC 3339, "" if it is not known; `size` is bytes, 0 likewise."""

    url: str
    digest: str
    revision: str
    time: str
    size: int


def download(artifact: Artifact, to: BinaryIO, left: Callable[[], float]) -> None:
    """Write the archive to a file; `left` are the remaining seconds. Raises DownloadError, and OSError for the disk."""
    algorithm, _, expected = artifact.digest.partition(":")
    if algorithm not in _ALGORITHMS:
        raise DownloadError(f'digest "{artifact.digest[:100]}" is not supported; use {", ".join(_ALGORITHMS)}')
    if artifact.size > _MOST_BYTES:
        raise DownloadError(f"the artifact is larger than {_MOST_BYTES >> 20} MiB, the limit")
    digest = hashlib.new(algorithm)
    with closing(_opened(artifact.url, left)) as response:
        while part := _read(response, left):
            if to.tell() + len(part) > (artifact.size or _MOST_BYTES):
                raise DownloadError("the artifact is larger than its size says, or than the limit")
            digest.update(part)
            to.write(part)
    if digest.hexdigest() != expected:
        raise DownloadError(f"the digest of the artifact is {algorithm}:{digest.hexdigest()}, not {artifact.digest}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """A source serves its own files: the answer is an error."""


def _opened(url: str, left: Callable[[], float]) -> Any:
    """The answer of a server."""
    if not url.startswith(("http://", "https://")):
        raise DownloadError("the URL of the artifact is not one of HTTP")
    request = urllib.request.Request(url, headers={"User-Agent": f"kubectl-trainjob/{__version__}"})
    try:
        return urllib.request.build_opener(_NoRedirect).open(request, timeout=max(min(_QUIET, left()), 0.001))
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 404:
            raise DownloadError("the artifact no longer exists (404); wait for the next one") from None
        raise DownloadError(f"the artifact cannot be downloaded: {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _failed(error) from None


def _read(response: Any, left: Callable[[], float]) -> bytes:
    if left() <= 0:
        raise DownloadError("the artifact was not downloaded before the timeout of the TrainingSet")
    try:
        part: bytes = response.read1(_PART)
    except (OSError, http.client.HTTPException) as error:
        raise _failed(error) from None
    return part


def _failed(error: Exception) -> DownloadError:
    why = getattr(error, "reason", None) or error
    return DownloadError(f"the artifact cannot be downloaded: {str(why)[:300] or type(error).__name__}")
