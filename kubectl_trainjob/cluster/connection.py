"""The connection over the official client, the only module that imports it.

The client gives kubeconfig, contexts, credentials (tokens, certificates, exec plugins), proxies and TLS. Requests,
timeouts and retries are ours: generated models drop fields that they do not know.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from kubectl_trainjob import __version__
from kubectl_trainjob.cluster.protocol import NO_ANSWER, ApiAnswer, ApiRequest
from kubectl_trainjob.model.faults import EnvironmentFault

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

_CONNECT = 5.0  # seconds until a connection must exist
_ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"


class ConnectionOptions(NamedTuple):
    """kubectl's options; "" means its default."""

    kubeconfig: str = ""
    context: str = ""
    user: str = ""
    groups: tuple[str, ...] = ()


class KubeConnection:
    """A connection as `protocol.Connection`. Raises EnvironmentFault if there is no usable configuration."""

    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options
        self._client, self.namespace = _connect(options)

    def renew(self) -> None:
        """Read the configuration again, which also asks exec plugins again."""
        self._client, self.namespace = _connect(self._options)

    def send(self, request: ApiRequest, timeout: float) -> ApiAnswer:
        """One request, without any retry."""
        return self._exchange(request, timeout, _whole)

    def lines(self, request: ApiRequest, timeout: float, handle: Callable[[bytes], bool]) -> ApiAnswer:
        """A request whose answer is a stream of lines; `timeout` limits the time between two of them."""

        def read(response: Any) -> Any:
            if response.status >= 300:
                return _decoded(response.data)
            for line in _lines(response):
                if not handle(line):
                    break
            return None

        return self._exchange(request, timeout, read)

    def _exchange(self, request: ApiRequest, timeout: float, read: Callable[[Any], Any]) -> ApiAnswer:
        from urllib3 import Timeout
        from urllib3.exceptions import HTTPError

        configuration = self._client.configuration
        body = None if request.body is None else json.dumps(request.body, ensure_ascii=False).encode()
        response = None
        try:
            response = self._client.rest_client.pool_manager.request(
                request.method,
                configuration.host.rstrip("/") + request.url,
                body=body,
                headers=self._headers(request),
                timeout=Timeout(connect=min(_CONNECT, timeout), read=timeout),
                preload_content=False,
                redirect=False,
                retries=False,
            )
            found = read(response)
            return ApiAnswer(response.status, found, dict(response.headers))
        except (HTTPError, OSError) as error:
            return ApiAnswer(NO_ANSWER, _why(error))
        finally:
            if response is not None:
                response.release_conn()
                response.close()

    def _headers(self, request: ApiRequest) -> Any:
        from urllib3 import HTTPHeaderDict

        headers = HTTPHeaderDict({"Accept": request.accept, "User-Agent": f"kubectl-trainjob/{__version__}"})
        if request.body is not None:
            headers["Content-Type"] = request.content_type
        for setting in self._client.configuration.auth_settings().values():
            headers[setting["key"]] = setting["value"]
        if self._options.user:
            headers["Impersonate-User"] = self._options.user
        for group in self._options.groups:
            headers.add("Impersonate-Group", group)
        return headers


def _whole(response: Any) -> Any:
    return _decoded(response.data)


def _decoded(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")


def _lines(response: Any) -> Iterator[bytes]:
    rest = b""
    for chunk in response.stream(2**16, decode_content=True):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    if rest:
        yield rest


def _why(error: Exception) -> str:
    """The cause without addresses of objects in memory."""
    reason = getattr(error, "reason", None) or error
    return str(reason).rpartition(": ")[2] or type(error).__name__


def _connect(options: ConnectionOptions) -> tuple[ApiClient, str]:
    with _as_faults():
        from kubernetes import client, config

        files = options.kubeconfig or os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")
        has_file = any(map(os.path.exists, files.split(os.pathsep)))
        configuration = client.Configuration()
        if not has_file and not options.kubeconfig and not options.context and os.path.exists(_ACCOUNT_NAMESPACE):
            config.load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
            with open(_ACCOUNT_NAMESPACE, encoding="utf-8") as file:
                return client.ApiClient(configuration), file.read().strip()
        if not has_file:
            raise EnvironmentFault(f"no kubeconfig at {files}; set KUBECONFIG or --kubeconfig")
        context = options.context or None
        config.load_kube_config(files, context, configuration, persist_config=False)  # type: ignore[no-untyped-call]
        known, active = config.list_kube_config_contexts(files)  # type: ignore[no-untyped-call]
        chosen = next((each for each in known if each["name"] == context), active)
        return client.ApiClient(configuration), chosen["context"].get("namespace") or "default"


@contextmanager
def _as_faults() -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise EnvironmentFault(
            "this command needs the package kubernetes; install it with: pip install 'kubectl-trainjob[cluster]'"
        ) from None
    except EnvironmentFault:
        raise
    except Exception as error:  # the client raises errors of many libraries for a broken kubeconfig
        raise EnvironmentFault(f"the kubeconfig cannot be used: {' '.join(str(error).split())[:300]}") from None
