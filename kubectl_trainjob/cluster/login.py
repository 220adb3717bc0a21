"""How kubeconfig files and options choose a cluster and a user: the only module that imports the official client.

It gives contexts, tokens, certificates and TLS. Programs for credentials, proxies and impersonation are ours.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from kubectl_trainjob.cluster.exec_plugin import ExecCredential, ask_plugin
from kubectl_trainjob.model.faults import EnvironmentFault

if TYPE_CHECKING:
    from kubernetes.client import ApiClient, Configuration
    from kubernetes.config.kube_config import ConfigNode, KubeConfigMerger

_SOCKETS = 32  # open at most, while nothing is sent: more than threads that send
_ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
_BEFORE_EXEC = ("token", "tokenFile", "username")  # each overrides a program
_MOST_BYTES = 1 << 20  # of a file of credentials
_FILES = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
_CONFLICTS = (
    ("cluster", "insecure-skip-tls-verify", "certificate-authority"),
    ("cluster", "insecure-skip-tls-verify", "certificate-authority-data"),
    ("cluster", "certificate-authority", "certificate-authority-data"),
    ("user", "token", "username"),
    ("user", "tokenFile", "username"),
    ("user", "exec", "auth-provider"),
    ("user", "client-certificate", "client-certificate-data"),
    ("user", "client-key", "client-key-data"),  # of a user with a certificate: without one, no key is used
)
_OF_AS = ("as-groups", "as-uid", "as-user-extra")


class ConnectionOptions(NamedTuple):
    """kubectl's options; "" means its default."""

    kubeconfig: str = ""
    context: str = ""
    user: str = ""
    groups: tuple[str, ...] = ()


class Login(NamedTuple):
    """How to reach one cluster as one user: the client, the namespace of the context, and headers of the user."""

    client: ApiClient
    namespace: str
    headers: tuple[tuple[str, str], ...] = ()
    credential: ExecCredential = ExecCredential()


def log_in(options: ConnectionOptions) -> Login:
    """The login that options choose. Raises EnvironmentFault if no configuration can be used."""
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
        return Login(client.ApiClient(configuration), namespace, tuple(_impersonation(options, {})))


def _of_files(files: str, options: ConnectionOptions) -> Login:
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
    _check_settings(cluster, user)
    if user.get("tokenFile"):
        user.pop("token", None)
    credential = ExecCredential()
    if found and user.get("exec") and not any(map(user.get, _BEFORE_EXEC)):
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
    return Login(client.ApiClient(configuration), namespace, tuple(_impersonation(options, user)), credential)


def _check_settings(cluster: Mapping[str, Any], user: Mapping[str, Any]) -> None:
    """Reject what kubectl rejects."""
    has_certificate = any(user.get(_FILES[1] + end) for end in ("", "-data"))
    for kind, first, second in _CONFLICTS if has_certificate else _CONFLICTS[:-1]:
        settings = user if kind == "user" else cluster
        if settings.get(first) and settings.get(second):
            raise EnvironmentFault(f"the kubeconfig has {first} and {second} for one {kind}; remove one")
    if (name := (user.get("auth-provider") or {}).get("name", "oidc")) != "oidc":
        raise EnvironmentFault(f'auth-provider "{name}" is not supported; use a credential plugin (exec)')


def _config_entry(merger: KubeConfigMerger, kind: str, name: str) -> ConfigNode:
    """A part of a kubeconfig; its path is the file that has it, to which its own paths are relative."""
    found: ConfigNode = merger.config[kind].get_with_name(name)
    settings = found.value.get(kind.removesuffix("s")) or {}
    folder = os.path.dirname(os.path.abspath(found.path))
    for key in filter(settings.get, _FILES):
        settings[key] = os.path.join(folder, settings[key])
        if os.path.exists(settings[key]) and not _is_small_file(settings[key]):
            raise EnvironmentFault(f"{key} of the kubeconfig is not a file, or is larger than 1 MiB: {settings[key]}")
    return found


def _is_small_file(path: str) -> bool:
    """Whether reading it ends: a pipe or a device may never end."""
    return os.path.isfile(path) and os.path.getsize(path) <= _MOST_BYTES


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
    elif found := next(filter(user.get, _OF_AS), ""):
        raise EnvironmentFault(f"the kubeconfig has {found} without as; add as, or remove {found}")


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
            "this command needs the package kubernetes; install it in the same environment: "
            "pip install 'kubernetes>=36.0.3' 'cryptography>=43'"
        ) from None
    except EnvironmentFault:
        raise
    except Exception as error:  # the client raises errors of many libraries for a broken kubeconfig
        raise EnvironmentFault(
            f"the kubeconfig is not valid: {' '.join(str(error).split())[:300]}; correct it, or set --kubeconfig"
        ) from None
