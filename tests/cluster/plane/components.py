"""How each program is started and asked whether it is ready."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cluster.plane import programs
from tests.cluster.plane.settings import Settings

_STAGES = Path(__file__).parent / "kwok.yaml"
# Those that run Jobs to their end and remove what lost its owner; namespaces are never deleted here.
_CONTROLLERS = ("job-controller", "ttl-after-finished-controller", "garbage-collector-controller")
MANAGERS = ("jobset", "trainer", "kueue")
# The first wants ServiceAccounts and a controller for them, the second a kubelet that calls its node ready.
_NO_ADMISSION = ("ServiceAccount", "TaintNodesByCondition")


def command(name: str, settings: Settings) -> list[str]:
    """The program of a component and its arguments."""
    return [str(programs.folder() / name), *_FLAGS[name](settings)]


def environment(settings: Settings) -> dict[str, str]:
    """What every component has in its environment besides ours."""
    return {"TMPDIR": str(settings.folder), "KUEUE_METRICS_CERTIFICATES": str(settings.served)}


def probe(name: str, settings: Settings) -> str:
    """The URL that answers 200 when the component is ready."""
    scheme = "https" if name.startswith("kube-") else "http"
    path = {"etcd": "health"} | dict.fromkeys(("kube-apiserver", *map("{}-manager".format, MANAGERS)), "readyz")
    return f"{scheme}://{settings.address(name)}/{path.get(name, 'healthz')}"


def _etcd(settings: Settings) -> list[str]:
    client, peer = (f"http://{settings.address(name)}" for name in ("etcd", "etcd-peer"))
    return [
        f"--data-dir={settings.folder / 'etcd-data'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",  # nothing here outlives the run
        "--log-level=warn",
    ]


def _serving(settings: Settings, name: str) -> list[str]:
    return [
        "--bind-address=127.0.0.1",
        f"--secure-port={settings.ports[name]}",
        f"--tls-cert-file={settings.certificate}",
        f"--tls-private-key-file={settings.folder / 'server.key'}",
        "--profiling=false",
    ]


def _apiserver(settings: Settings) -> list[str]:
    key = settings.folder / "accounts.key"
    return [
        *_serving(settings, "kube-apiserver"),
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",  # an endpoint may not be loopback
        f"--etcd-servers=http://{settings.address('etcd')}",
        f"--client-ca-file={settings.certificate}",  # without it the others find no ConfigMap on authentication
        f"--token-auth-file={settings.folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        f"--disable-admission-plugins={','.join(_NO_ADMISSION)}",
        "--allow-privileged=true",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.0.0.0/16",
        "--shutdown-delay-duration=0s",
    ]


def _authorized(settings: Settings, name: str) -> list[str]:
    config = settings.kubeconfig(name)
    return [f"--authentication-kubeconfig={config}", f"--authorization-kubeconfig={config}", "--leader-elect=false"]


def _controller_manager(settings: Settings) -> list[str]:
    name = "kube-controller-manager"
    return [
        *_serving(settings, name),
        *_authorized(settings, name),
        f"--kubeconfig={settings.kubeconfig(name)}",
        f"--controllers={','.join(_CONTROLLERS)}",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
    ]


def _scheduler(settings: Settings) -> list[str]:
    name = "kube-scheduler"
    served = [flag for flag in _serving(settings, name) if flag != "--profiling=false"]
    return [*served, *_authorized(settings, name), f"--config={settings.folder / 'scheduler.json'}"]


def _kwok(settings: Settings) -> list[str]:
    return [
        f"--kubeconfig={settings.kubeconfig('kwok')}",
        f"--config={_STAGES}",
        "--manage-all-nodes=true",
        "--node-lease-duration-seconds=0",
        f"--server-address={settings.address('kwok')}",
        "--cidr=10.244.0.0/16",
        "--node-ip=10.0.0.1",
    ]


def _manager(short: str) -> Callable[[Settings], list[str]]:
    return lambda settings: [
        f"--kubeconfig={settings.kubeconfig(f'{short}-manager')}",
        f"--config={settings.folder / f'{short}.json'}",
        "--zap-log-level=info",
        "--zap-encoder=json",
    ]


def _kueue_manager(settings: Settings) -> list[str]:
    # Its server of pending Workloads needs an aggregated API.
    return [*_manager("kueue")(settings), "--feature-gates=VisibilityOnDemand=false"]


_FLAGS: dict[str, Callable[[Settings], list[str]]] = {
    "etcd": _etcd,
    "kube-apiserver": _apiserver,
    "kube-controller-manager": _controller_manager,
    "kube-scheduler": _scheduler,
    "kwok": _kwok,
    "jobset-manager": _manager("jobset"),
    "trainer-manager": _manager("trainer"),
    "kueue-manager": _kueue_manager,
}


def errors(log: str) -> list[dict[str, str]]:
    """The entries of a manager's log that carry an error."""
    entries = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    return [entry for entry in entries if "error" in entry]
