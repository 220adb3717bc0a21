"""The files that the components read: keys, tokens, kubeconfigs, configurations. All in one folder."""

from __future__ import annotations

import base64
import json
import random
import secrets
import socket
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Who speaks to the API server. Nobody's rights are tested here: all may do everything.
USERS = {
    "admin": "admin",
    "kube-controller-manager": "system:kube-controller-manager",
    "kube-scheduler": "system:kube-scheduler",
    "kwok": "kwok",
    "jobset-manager": "system:serviceaccount:jobset-system:jobset-controller-manager",
    "trainer-manager": "system:serviceaccount:kubeflow-system:kubeflow-trainer-controller-manager",
    "kueue-manager": "system:serviceaccount:kueue-system:kueue-controller-manager",
}
_PORTS = (
    "etcd",
    "etcd-peer",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
    "jobset-manager",
    "jobset-webhook",
    "trainer-manager",
    "trainer-webhook",
    "kueue-manager",
    "kueue-webhook",
)
# Below the ports that clients get: one that dials a dead server there could otherwise connect to itself.
_RANGE = range(16000, 32000)


@dataclass(frozen=True)
class Settings:
    """What the components of one control plane agree on."""

    folder: Path
    ports: Mapping[str, int]
    tokens: Mapping[str, str]

    def address(self, name: str) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.ports[name]}"

    def kubeconfig(self, user: str) -> Path:
        """The kubeconfig of a user."""
        return self.folder / f"{user}.kubeconfig"

    @property
    def certificate(self) -> Path:
        """The certificate of every server here, its own authority."""
        return self.folder / "server.crt"

    @property
    def served(self) -> Path:
        """Where the managers look for the certificate of their webhooks, below the temporary folder."""
        return self.folder / "k8s-webhook-server/serving-certs"

    @property
    def authority(self) -> str:
        """The certificate as `caBundle` wants it."""
        return base64.b64encode(self.certificate.read_bytes()).decode()


def write(folder: Path, schedulers: Sequence[str]) -> Settings:
    """Choose ports, make keys and tokens and write every file."""
    settings = Settings(folder, free_ports(_PORTS), {user: secrets.token_urlsafe(24) for user in USERS})
    _make_keys(folder)
    rows = [f'{settings.tokens[user]},{name},{user},"system:masters"\n' for user, name in USERS.items()]
    (folder / "tokens.csv").write_text("".join(rows))
    for user in USERS:
        _write(settings.kubeconfig(user), _kubeconfig(settings, user))
    _write(folder / "jobset.json", _jobset(settings))
    _write(folder / "trainer.json", _trainer(settings))
    _write(folder / "kueue.json", _kueue(settings))
    _write(folder / "scheduler.json", _scheduler(settings, schedulers))
    return settings


def free_ports(names: Iterable[str]) -> dict[str, int]:
    """A port for each name."""
    ports: dict[str, int] = {}
    for name in names:
        ports[name] = next(p for p in random.sample(_RANGE, len(_RANGE)) if p not in ports.values() and _is_free(p))
    return ports


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _make_keys(folder: Path) -> None:
    """One certificate for all servers, and the key that signs service accounts' tokens."""
    extensions = (
        "subjectAltName=IP:127.0.0.1,DNS:localhost",
        "keyUsage=critical,digitalSignature,keyCertSign",
        "extendedKeyUsage=serverAuth,clientAuth",  # the server trusts certificates of clients that it signs
    )
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    files = ("-keyout", folder / "server.key", "-out", folder / "server.crt")
    specified = [part for extension in extensions for part in ("-addext", extension)]
    _openssl("req", "-x509", *curve, *files, "-days", "2", "-subj", "/CN=127.0.0.1", *specified)
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", folder / "accounts.key")
    served = folder / "k8s-webhook-server/serving-certs"
    served.mkdir(parents=True)
    (served / "tls.crt").symlink_to(folder / "server.crt")
    (served / "tls.key").symlink_to(folder / "server.key")


def _openssl(*arguments: str | Path) -> None:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"openssl {arguments[0]}: {done.stderr}"


def _write(path: Path, content: Any) -> None:
    path.touch(mode=0o600)
    path.write_text(json.dumps(content, indent=1))


def _kubeconfig(settings: Settings, user: str) -> Any:
    cluster = {
        "server": f"https://{settings.address('kube-apiserver')}",
        "certificate-authority": str(settings.certificate),
    }
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "plane",
        "clusters": [{"name": "plane", "cluster": cluster}],
        "users": [{"name": user, "user": {"token": settings.tokens[user]}}],
        "contexts": [{"name": "plane", "context": {"cluster": "plane", "user": user}}],
    }


def _manager(settings: Settings, name: str) -> dict[str, Any]:
    """What the configurations of both managers share: their own certificates would need a Service in a cluster."""
    return {
        "kind": "Configuration",
        "webhook": {"host": "127.0.0.1", "port": settings.ports[f"{name}-webhook"]},
        "metrics": {"bindAddress": "0"},
        "health": {"healthProbeBindAddress": settings.address(f"{name}-manager")},
        "clientConnection": {"qps": 500, "burst": 1000},
    }


def _jobset(settings: Settings) -> Any:
    return {
        **_manager(settings, "jobset"),
        "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
    }


def _trainer(settings: Settings) -> Any:
    return {
        **_manager(settings, "trainer"),
        "apiVersion": "config.trainer.kubeflow.org/v1alpha1",
        "metrics": {"bindAddress": "0", "secureServing": False},
        "certManagement": {"enable": False},
    }


def _kueue(settings: Settings) -> Any:
    manager = _manager(settings, "kueue")
    served = str(settings.served)
    return {
        **manager,
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "webhook": {**manager["webhook"], "certDir": served},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "integrations": {"frameworks": ["batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob", "pod"]},
    }


def _scheduler(settings: Settings, names: Sequence[str]) -> Any:
    """A profile for each name that pods ask for; fake nodes mount no volumes and have no devices to claim."""
    without = ["VolumeBinding", "VolumeRestrictions", "VolumeZone", "NodeVolumeLimits", "DynamicResources"]
    plugins = {"multiPoint": {"disabled": [{"name": name} for name in without]}}
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": str(settings.kubeconfig("kube-scheduler")), "qps": 500, "burst": 1000},
        "profiles": [{"schedulerName": n, "plugins": plugins} for n in sorted({"default-scheduler", *names})],
    }
