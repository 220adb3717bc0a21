"""The connection to an API server, as the user of a `Login`.

Requests, timeouts and retries are ours: the generated models of the official client drop fields that they do not know.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Lock
from typing import Any

from kubectl_trainjob import __version__
from kubectl_trainjob.cluster.login import ConnectionOptions, Login, log_in
from kubectl_trainjob.cluster.protocol import NO_ANSWER, UNTRUSTED, ApiAnswer, ApiRequest
from kubectl_trainjob.model.faults import EnvironmentFault

_PART = 1 << 16
_TIME_ERRORS = (9, 10)  # codes of OpenSSL: not yet valid, expired
_HOST_ERRORS = (62, 64)  # host name, IP address
_CONNECT = 5.0  # seconds until a connection must exist
_LONGEST_LINE = 1 << 25  # more than any object has


class KubeConnection:
    """A connection as `protocol.Connection`. Raises EnvironmentFault if no configuration can be used."""

    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options
        self._login = log_in(options)
        self.namespace = self._login.namespace
        self.host = self._login.client.configuration.host.partition("://")[2]
        self._renewing = Lock()

    def renew(self) -> None:
        """Read the configuration again, which also asks exec plugins again."""
        self._login = log_in(self._options)

    def as_user(self, name: str) -> KubeConnection:
        """The same connection for requests as another user, and as none of the groups of this one."""
        return _AsUser(self, name)

    def _current(self) -> Login:
        """The login; renewed if its credentials have expired. If that fails, the server rejects the old ones."""
        with self._renewing:
            if self._login.credential.is_expired:
                with suppress(EnvironmentFault):
                    self.renew()
            return self._login

    def send(self, request: ApiRequest, timeout: float) -> ApiAnswer:
        """One request, without any retry."""
        deadline = time.monotonic() + timeout
        return self._exchange(request, timeout, lambda response: _whole(response, deadline))

    def lines(self, request: ApiRequest, timeout: float, handle: Callable[[bytes], bool]) -> ApiAnswer:
        """A request whose answer is a stream of lines; `timeout` limits the time between two of them."""

        def read(response: Any) -> Any:
            if response.status >= 300:
                return _decode(response.data)
            for line in _lines(response):
                if not handle(line):
                    break
            return None

        return self._exchange(request, timeout, read)

    def _exchange(self, request: ApiRequest, timeout: float, read: Callable[[Any], Any]) -> ApiAnswer:
        from urllib3 import Timeout
        from urllib3.exceptions import HTTPError

        login = self._current()
        body = None if request.body is None else json.dumps(request.body, ensure_ascii=False).encode()
        response = None
        try:
            response = login.client.rest_client.pool_manager.request(
                request.method,
                login.client.configuration.host.rstrip("/") + request.url,
                body=body,
                headers=_headers(login, request),
                timeout=Timeout(connect=min(_CONNECT, timeout), read=timeout),
                preload_content=False,
                redirect=False,
                retries=False,
            )
            found = read(response)
            return ApiAnswer(response.status, found, dict(response.headers))
        except (HTTPError, OSError) as error:
            return _no_answer(error)
        finally:
            if response is not None:
                response.close()  # ends the connection, unless the answer was read to its end


class _AsUser(KubeConnection):
    """Shares the sockets and the credentials of another connection."""

    def __init__(self, own: KubeConnection, name: str) -> None:
        self._own, self._name = own, name
        self.namespace, self.host = own.namespace, own.host

    def renew(self) -> None:
        self._own.renew()

    def _current(self) -> Login:
        return self._own._current()._replace(headers=(("Impersonate-User", self._name),))


def _headers(login: Login, request: ApiRequest) -> Any:
    from urllib3 import HTTPHeaderDict

    headers = HTTPHeaderDict({"Accept": request.accept, "User-Agent": f"kubectl-trainjob/{__version__}"})
    if request.body is not None:
        headers["Content-Type"] = request.content_type
    for setting in login.client.configuration.auth_settings().values():
        value = setting["value"].strip()  # a file of a token may end with a line break
        if not (value.isascii() and value.isprintable()):
            raise EnvironmentFault("the token has characters that no token can have; correct the kubeconfig")
        headers[setting["key"]] = value
    for name, value in login.headers:
        headers.add(name, str(value).encode(errors="replace").decode("latin-1"))  # as UTF-8, like kubectl
    return headers


def _whole(response: Any, deadline: float) -> Any:
    """The decoded answer. Raises TimeoutError if it does not end in time, also if each part of it comes soon."""
    parts = []
    while part := response.read1(_PART):  # without a size, a cut answer would look complete
        parts.append(part)
        if time.monotonic() > deadline:
            raise TimeoutError("the answer did not end in time")
    return _decode(b"".join(parts))


def _decode(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")


def _lines(response: Any) -> Iterator[bytes]:
    """The lines of an answer. One that is too long is cut: a Pod may print one without an end."""
    parts: list[bytes] = []
    size = 0
    for chunk in response.stream(2**16, decode_content=True):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*parts, line])
            parts, size = [], 0
        parts.append(rest)
        size += len(rest)
        if size > _LONGEST_LINE:
            yield b"".join(parts)
            parts, size = [], 0
    if size:
        yield b"".join(parts)


def _no_answer(error: Exception) -> ApiAnswer:
    """The answer that says why there is none, by the innermost cause; without addresses of objects in memory."""
    of_proxy = getattr(error, "original_error", None)
    causes = (each for each in (of_proxy, getattr(error, "reason", None), *error.args) if isinstance(each, Exception))
    if cause := next(causes, None):
        found = _no_answer(cause)
        return found._replace(body=f"the proxy does not answer: {found.body}") if of_proxy else found
    if isinstance(error, ssl.SSLCertVerificationError):
        return ApiAnswer(UNTRUSTED, _why_untrusted(error))
    text = str(error).rpartition(": ")[2] or type(error).__name__
    if isinstance(error, ssl.SSLError):
        text = f"TLS: {text.rpartition('] ')[2].partition(' (_ssl')[0]}"
    return ApiAnswer(NO_ANSWER, text)


def _why_untrusted(error: ssl.SSLCertVerificationError) -> str:
    """What the certificate of a server lacks, and what to do."""
    cause = error.verify_message.removesuffix(".")
    if error.verify_code in _TIME_ERRORS:
        return f"{cause}; renew it on the server, or correct the clock of this machine"
    if error.verify_code in _HOST_ERRORS:
        return f"{cause}; correct server or tls-server-name of the cluster in the kubeconfig"
    return f"{cause}; set certificate-authority of the cluster in the kubeconfig to its authority"
