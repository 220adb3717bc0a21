"""The connection over the official client, the only module that imports it.

The client gives kubeconfig, contexts, credentials (tokens, certificates, exec plugins), proxies and TLS. Requests,
timeouts and retries are ours: generated models drop fields that they do not know.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from kubectl_trainjob import __version__
from kubectl_trainjob.cluster.exec_plugin import ExecCredential, ask_plugin
from kubectl_trainjob.cluster.protocol import NO_ANSWER, ApiAnswer, ApiRequest
from kubectl_trainjob.model.faults import EnvironmentFault

if TYPE_CHECKING:
    from kubernetes.client import ApiClient, Configuration
    from kubernetes.config.kube_config import ConfigNode, KubeConfigMerger

_PART = 1 << 16
_SOCKETS = 32  # open at most, while nothing is sent: more than threads that send
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
        self._login = _log_in(options)
        self.namespace = self._login.namespace
        self.host = self._login.client.configuration.host.partition("://")[2]
        self._renewing = Lock()

    def renew(self) -> None:
        """Read the configuration again, which also asks exec plugins again."""
        self._login = _log_in(self._options)

    def as_user(self, name: str) -> KubeConnection:
        """The same connection for requests as another user, and as none of the groups of this one."""
        return _AsUser(self, name)

    def _current(self) -> _Login:
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
                timeout=Timeout(timeout, connect=min(_CONNECT, timeout), read=timeout),
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
                response.close()  # ends the connection, unless the answer was read to its end


class _AsUser(KubeConnection):
    """Shares the sockets and the credentials of another connection."""

    def __init__(self, own: KubeConnection, name: str) -> None:
        self._own, self._name = own, name
        self.namespace, self.host = own.namespace, own.host

    def renew(self) -> None:
        self._own.renew()

    def _current(self) -> _Login:
        return self._own._current()._replace(headers=(("Impersonate-User", self._name),))


def _headers(login: _Login, request: ApiRequest) -> Any:
    from urllib3 import HTTPHeaderDict

    headers = HTTPHeaderDict({"Accept": request.accept, "User-Agent": f"kubectl-trainjob/{__version__}"})
    if request.body is not None:
        headers["Content-Type"] = request.content_type
    for setting in login.client.configuration.auth_settings().values():
        headers[setting["key"]] = setting["value"]
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


class _Login(NamedTuple):
    """How to reach one cluster as one user: the client, the namespace of the context, and headers of the user."""

    client: ApiClient
    namespace: str
    headers: tuple[tuple[str, str], ...] = ()
    credential: ExecCredential = ExecCredential()


def _log_in(options: ConnectionOptions) -> _Login:
    with _as_faults():
        from kubernetes import client, config

        files = options.kubeconfig or os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")
        has_file = any(map(os.path.exists, files.split(os.pathsep)))
        if has_file:
            return _of_files(files, options)
        configuration = client.Configuration()
        if options.kubeconfig or options.context or not os.path.exists(_ACCOUNT_NAMESPACE):
            raise EnvironmentFault(f"no kubeconfig at {files}; set KUBECONFIG or --kubeconfig")
        config.load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
        _set_proxy(configuration, "")
        configuration.connection_pool_maxsize = _SOCKETS
        with open(_ACCOUNT_NAMESPACE, encoding="utf-8") as file:
            namespace = file.read().strip()
        return _Login(client.ApiClient(configuration), namespace, tuple(_impersonation(options, {})))


def _of_files(files: str, options: ConnectionOptions) -> _Login:
    """The login of kubeconfig files. The first file wins, also for the current context."""
    from kubernetes import client
    from kubernetes.config.kube_config import KubeConfigLoader, KubeConfigMerger
    from urllib3 import disable_warnings
    from urllib3.exceptions import InsecureRequestWarning

    merger = KubeConfigMerger(files)  # type: ignore[no-untyped-call]
    current = (each.get("current-context") for each in merger.config_files.values())
    name = options.context or next(filter(None, current), "")
    if not name:
        raise EnvironmentFault("the kubeconfig is not valid: it has no current context; use --context")
    context = _config_entry(merger, "contexts", name)["context"].value
    cluster = _config_entry(merger, "clusters", context.get("cluster"))["cluster"].value
    found = _config_entry(merger, "users", context.get("user")) if context.get("user") else None
    user = found.value.get("user") or {} if found else {}
    credential = ExecCredential()
    if found and user.get("exec") and not (user.get("token") or user.get("tokenFile")):
        credential = ask_plugin(user.pop("exec"), cluster, os.path.dirname(os.path.abspath(found.path)))
        user.update(_as_user(credential))
    configuration = client.Configuration()
    loader = KubeConfigLoader(merger.config, name)  # type: ignore[no-untyped-call]
    loader.load_and_set(configuration)  # type: ignore[no-untyped-call]
    _set_proxy(configuration, cluster.get("proxy-url") or "")
    if not configuration.verify_ssl:
        disable_warnings(InsecureRequestWarning)  # the user has chosen it
    namespace = context.get("namespace") or "default"
    configuration.connection_pool_maxsize = _SOCKETS
    return _Login(client.ApiClient(configuration), namespace, tuple(_impersonation(options, user)), credential)


def _config_entry(merger: KubeConfigMerger, kind: str, name: str) -> ConfigNode:
    """A part of a kubeconfig; its path is the file that has it."""
    found: ConfigNode = merger.config[kind].get_with_name(name)
    return found


def _as_user(credential: ExecCredential) -> dict[str, str]:
    """The user of a kubeconfig with these credentials."""
    if credential.token:
        return {"token": credential.token}
    pairs = (("client-certificate-data", credential.certificate), ("client-key-data", credential.key))
    return {key: base64.b64encode(value.encode()).decode() for key, value in pairs}


def _impersonation(options: ConnectionOptions, user: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The headers of `--as`, else of `as` in the kubeconfig."""
    if name := options.user or user.get("as"):
        if strange := [each for each in (name, *options.groups) if not each.isprintable()]:
            raise EnvironmentFault(f'"{strange[0]}" is not a user or a group: it has control characters; correct --as')
        yield "Impersonate-User", name
        yield from (("Impersonate-Group", group) for group in options.groups or user.get("as-groups") or ())
        if user.get("as-uid"):
            yield "Impersonate-Uid", user["as-uid"]
        for key, values in (user.get("as-user-extra") or {}).items():
            yield from ((f"Impersonate-Extra-{quote(key, safe='')}", value) for value in values)


def _set_proxy(configuration: Configuration, url: str) -> None:
    """The proxy of kubectl: `proxy-url` for every host, else that of the environment, never for this machine."""
    from urllib3.util import make_headers, parse_url

    host = parse_url(configuration.host)
    name = str(host.host).strip("[]")
    is_own = name == "localhost" or _is_loopback(name)
    configuration.proxy = url or (None if is_own else _variable(f"{host.scheme}_proxy"))
    configuration.no_proxy = None if url else _variable("no_proxy")
    if configuration.proxy and (user := parse_url(configuration.proxy).auth):
        configuration.proxy_headers = make_headers(proxy_basic_auth=unquote(user))


def _variable(name: str) -> str | None:
    return os.environ.get(name.upper()) or os.environ.get(name) or None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def _as_faults() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if error.name == "socks":
            raise EnvironmentFault("a SOCKS proxy needs the package pysocks; pip install pysocks") from None
        raise EnvironmentFault(
            "this command needs the package kubernetes; install it with: pip install 'kubectl-trainjob[cluster]'"
        ) from None
    except EnvironmentFault:
        raise
    except Exception as error:  # the client raises errors of many libraries for a broken kubeconfig
        raise EnvironmentFault(
            f"the kubeconfig is not valid: {' '.join(str(error).split())[:300]}; correct it, or set --kubeconfig"
        ) from None
