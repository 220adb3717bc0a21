"""Argo CD on a control plane: its cache, the sidecar with our plugin, repo-server and application controller."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane
from tests.cluster.plane.settings import free_ports
from tests.gitops import programs, sidecar
from tests.gitops.manual import block, path_with, shell

NAMESPACE = "argocd"
API = "argoproj.io/v1alpha1"
_REFRESH = "argocd.argoproj.io/refresh"
# Argo CD's default, and the type of the layers that Flux pushes, as the manual says.
_LAYERS = (
    "application/vnd.oci.image.layer.v1.tar",
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
    "application/vnd.cncf.flux.content.v1.tar+gzip",
)
Application = dict[str, Any]


class ArgoCd:
    """Ends with its control plane."""

    def __init__(self, plane: Plane) -> None:
        self.client, self._plane, self._folder = plane.client, plane, plane.folder / NAMESPACE

    def start(self) -> None:
        """Install it, and our plugin as the manual says; start all programs."""
        plane, ports = self._plane, free_ports(("redis", "repo", "repo-metrics"))
        plane.install_crds(programs.crds("argo"))
        _install(plane.client)
        environment = self._environment()
        shell(block("argocd", "sh", "kubectl trainjob integrations"), self._folder, KUBECONFIG=str(plane.kubeconfig))
        plugin = plane.client.request("GET", f"/api/v1/namespaces/{NAMESPACE}/configmaps/trainjob-plugin")["data"]
        (self._folder / "plugin/plugin.yaml").write_text(plugin["plugin.yaml"])
        plane.launch("redis", [programs.path("redis-server"), "--port", str(ports["redis"])], {})
        plane.launch("cmp-server", ["env", "-C", str(self._folder), *sidecar.command()], environment)
        self._wait(ports["redis"])
        plane.client.wait("the sidecar", sidecar.socket(self._folder).exists)
        redis = ["--redis", f"127.0.0.1:{ports['redis']}"]
        local = [
            "--address",
            "127.0.0.1",
            "--metrics-address",
            "127.0.0.1",
            "--metrics-port",
            str(ports["repo-metrics"]),
        ]
        plain = ["--disable-tls", "--client-ca-path", ""]
        self._launch("repo-server", [*local, "--port", str(ports["repo"]), *redis, *plain], environment)
        self._wait(ports["repo"])
        repo = f"127.0.0.1:{ports['repo']}"
        self._start_controllers(["--namespace", NAMESPACE, "--repo-server-plaintext"], redis, repo, environment)

    def _start_controllers(
        self, common: list[str], redis: list[str], repo: str, environment: Mapping[str, str]
    ) -> None:
        """Those of Applications, with the server that writes hydrated branches, and of ApplicationSets."""
        ports = free_ports(("metrics", "commit", "commit-metrics", "set-metrics", "set-probe", "set-webhook"))
        addresses = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
        local = ["--address", "127.0.0.1", "--port", str(ports["commit"]), "--metrics-address", "127.0.0.1"]
        commit = {**environment, "ARGOCD_ASK_PASS_SOCK": str(self._folder / "commit.sock")}
        self._launch("commit-server", [*local, "--metrics-port", str(ports["commit-metrics"])], commit)
        hydrator = ["--hydrator-enabled", "--commit-server", addresses["commit"]]
        often = ["--metrics-port", str(ports["metrics"]), "--app-resync", "30", "--repo-server", repo]
        self._launch("application-controller", [*common, *often, *redis, *hydrator], environment)
        sets = [f"--{name}-addr={addresses[f'set-{name}']}" for name in ("metrics", "probe", "webhook")]
        self._launch("applicationset-controller", [*common, "--argocd-repo-server", repo, *sets], environment)

    def application(self, name: str) -> Application:
        """The Application as it is now."""
        found: Application = self.client.request("GET", self._path(name))
        return found

    def refresh(self, name: str) -> Application:
        """The Application after a new comparison."""
        self._annotate(name, _REFRESH, "normal")
        done = lambda: _REFRESH not in self.application(name)["metadata"].get("annotations", {})  # noqa: E731
        self.client.wait(f"the refresh of {name}", done)
        return self.application(name)

    def wait(self, name: str, what: str, is_so: Callable[[Application], Any]) -> Application:
        """The Application once `is_so`; errors show its status."""
        try:
            self.client.wait(f"{name} is not {what}", lambda: is_so(self.application(name)))
        except TimeoutError as error:
            status = yaml.safe_dump(self.application(name).get("status"))
            raise AssertionError(f"{error}; its status:\n{status[-6000:]}") from error
        return self.application(name)

    def wait_for(self, name: str, sync: str, *health: str) -> Application:
        """The Application with a sync status, and one of these healths."""
        return self.wait(name, f"{sync}, {health}", lambda app: state(app)[0] == sync and state(app)[1] in health)

    def _annotate(self, name: str, key: str, value: str) -> None:
        patch = {"metadata": {"annotations": {key: value}}}
        self.client.request("PATCH", self._path(name), patch, "application/merge-patch+json")

    def _path(self, name: str) -> str:
        return f"/apis/{API}/namespaces/{NAMESPACE}/applications/{name}"

    def _launch(self, name: str, arguments: list[str], environment: Mapping[str, str]) -> None:
        self._plane.launch(
            name, [programs.path("argocd"), *arguments], {**environment, "ARGOCD_BINARY_NAME": f"argocd-{name}"}
        )

    def _wait(self, port: int) -> None:
        def is_open() -> bool:
            with socket.create_connection(("127.0.0.1", port), 1):
                return True

        self.client.wait(f"port {port} is open", is_open)

    def _environment(self) -> dict[str, str]:
        self._folder.mkdir()
        found = sidecar.prepare(self._folder)
        for name in ("tls", "ssh", "tmp", "bin"):
            (self._folder / name).mkdir()
        verify = self._folder / "bin/git-verify-wrapper.sh"  # in the image; no commit is signed here
        verify.write_text("#!/bin/sh\n")
        verify.chmod(0o755)
        return {
            **found,
            "PATH": path_with(verify.parent),
            "KUBECONFIG": str(_kubeconfig(self._plane, self._folder)),
            "TMPDIR": str(self._folder / "tmp"),
            "REDIS_PASSWORD": "",
            "HOSTNAME": "controller-0",
            "ARGOCD_CONTROLLER_REPLICAS": "1",
            "ARGOCD_FAKE_IN_CLUSTER": "true",
            "ARGOCD_GPG_ENABLED": "false",
            "ARGOCD_TLS_DATA_PATH": str(self._folder / "tls"),
            "ARGOCD_SSH_DATA_PATH": str(self._folder / "ssh"),
            "ARGOCD_ASK_PASS_SOCK": str(self._folder / "ask.sock"),
            "ARGOCD_REPO_SERVER_OCI_LAYER_MEDIA_TYPES": ",".join(_LAYERS),
        }


def state(app: Application) -> tuple[str, str]:
    """Sync status and health."""
    status = app.get("status") or {}
    return (status.get("sync") or {}).get("status", ""), (status.get("health") or {}).get("status", "")


def operation(app: Application) -> str:
    """The message of the last sync, with those of its objects."""
    found = (app.get("status") or {}).get("operationState") or {}
    results = (found.get("syncResult") or {}).get("resources") or []
    return "\n".join([found.get("message", ""), *(each.get("message", "") for each in results)])


def conditions(app: Application) -> str:
    """The messages of the conditions."""
    return "\n".join(each["message"] for each in (app.get("status") or {}).get("conditions") or [])


class Repository:
    """A git repository, whose branch main has the files of the last commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")

    @property
    def url(self) -> str:
        """What an Application names."""
        return f"file://{self.folder}"

    def commit(self, files: Mapping[str, str | None]) -> None:
        """Write files, remove those with None, and commit."""
        for path, text in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink() if text is None else file.write_text(text)
        self._git("add", "--all")
        self._git("-c", "user.name=test", "-c", "user.email=test@acme.example", "commit", "--quiet", "--message=change")

    def show(self, branch: str, path: str) -> str:
        """A file of a branch."""
        return self._git("show", f"{branch}:{path}")

    def _git(self, *arguments: str) -> str:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        command = ["git", *arguments]
        done = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True, env=environment)
        return done.stdout


_REPO_SERVER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server, namespace: argocd}
spec:
  selector: {matchLabels: {app.kubernetes.io/name: argocd-repo-server}}
  template:
    metadata: {labels: {app.kubernetes.io/name: argocd-repo-server}}
    spec:
      containers: [{name: argocd-repo-server, image: quay.io/argoproj/argocd:v3.5.7}]
      volumes: [{name: var-files, emptyDir: {}}, {name: plugins, emptyDir: {}}]
"""


def _install(client: Client) -> None:
    """What the installation of Argo CD creates, as far as the programs and the manual need it."""
    client.create_namespace(NAMESPACE)
    client.create(yaml.safe_load(_REPO_SERVER))
    labels = {"app.kubernetes.io/part-of": "argocd"}
    for kind, name in (("ConfigMap", "argocd-cm"), ("ConfigMap", "argocd-rbac-cm"), ("Secret", "argocd-secret")):
        data = {"stringData": {"server.secretkey": "only on loopback"}} if kind == "Secret" else {}
        metadata = {"name": name, "namespace": NAMESPACE, "labels": labels}
        client.create({"apiVersion": "v1", "kind": kind, "metadata": metadata, **data})
    everything = [{"namespace": "*", "server": "*"}]
    spec = {"sourceRepos": ["*"], "destinations": everything, "clusterResourceWhitelist": [{"group": "*", "kind": "*"}]}
    project = {"name": "default", "namespace": NAMESPACE}
    client.create({"apiVersion": API, "kind": "AppProject", "metadata": project, "spec": spec})


def _kubeconfig(plane: Plane, folder: Path) -> Path:
    """The admin's, in the namespace of Argo CD."""
    config = yaml.safe_load(plane.kubeconfig.read_text())
    config["contexts"][0]["context"]["namespace"] = NAMESPACE
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return path
