"""Starts, wires and ends a control plane."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from tests.cluster.plane import components, programs, settings
from tests.cluster.plane.client import ApiError, Client

_JOBSET = "jobset.x-k8s.io/v1alpha2"
_TRAINJOB = "trainer.kubeflow.org/v1alpha1"


class Plane:
    """etcd, API server and controller manager, and of `programs.OPTIONAL` what is asked for.

    `schedulers` names the scheduler profiles besides the default one.
    """

    def __init__(self, *optional: str, schedulers: Sequence[str] = ()) -> None:
        assert set(optional) <= {*programs.OPTIONAL, programs.KUEUE}
        self.optional = optional
        self.folder = Path(tempfile.mkdtemp(prefix="trainjob-plane-"))
        self._schedulers = schedulers

    def __enter__(self) -> Self:
        self._keeper = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("keeper.py")), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "GOGC": "400"},  # more memory for less processor time: all programs are in Go
            start_new_session=True,  # an interrupt of the tests is not one of the keeper
        )
        try:
            self._start_all()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        assert self._keeper.stdin
        self._keeper.stdin.close()
        self._keeper.wait()

    @property
    def kubeconfig(self) -> Path:
        """The admin's."""
        return self.settings.kubeconfig("admin")

    def start(self, name: str) -> None:
        """Start one component and wait until it is ready."""
        self._ask(
            start=name,
            command=components.command(name, self.settings),
            environment=components.environment(self.settings),
        )
        self._wait_ready(name)

    def launch(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start another program, which ends with the control plane."""
        self._ask(start=name, command=[*command], environment=dict(environment))

    def ended(self, name: str) -> bool:
        """Whether a program has ended."""
        return self._ask(ended=name) is not None

    def stop(self, name: str) -> None:
        """Kill one component, or a program that was launched."""
        self._ask(stop=name)

    def log(self, name: str) -> str:
        """What a component wrote."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def _ask(self, **request: Any) -> Any:
        assert self._keeper.stdin
        assert self._keeper.stdout
        self._keeper.stdin.write(json.dumps(request) + "\n")
        self._keeper.stdin.flush()
        return json.loads(self._keeper.stdout.readline())

    def _start_all(self) -> None:
        self.settings = settings.write(self.folder, self._schedulers)
        self.client = Client(
            self.settings.ports["kube-apiserver"], self.settings.certificate, self.settings.tokens["admin"]
        )
        for name in programs.CORE[:2]:
            self.start(name)
        folders = ["crds", *(["kueue"] if programs.KUEUE in self.optional else [])]
        self.install_crds(path for name in folders for path in sorted((programs.manifests() / name).glob("*.yaml")))
        for name in (programs.CORE[2], *self.optional):
            self.start(name)
        for short in components.MANAGERS:
            if f"{short}-manager" in self.optional:
                self._install_webhooks(short)

    def _wait_ready(self, name: str, timeout: float = 300) -> None:
        url = components.probe(name, self.settings)
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {self.settings.tokens['admin']}"})
        tls = ssl.create_default_context(cafile=self.settings.certificate)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=tls))
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline and not self.ended(name):
            try:
                with opener.open(request, timeout=30):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"{name} did not become ready; the end of its log:\n{self.log(name)[-4000:]}")

    def install_crds(self, files: Iterable[Path]) -> None:
        """Create the CRDs of files, and wait until all know them."""
        texts = [path.read_text() for path in files]
        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(self._create_crd, texts))
        for path in done:
            # A new kind answers 404 at first. Discovery, which the managers ask, and the published fields come later.
            self.client.wait(path, lambda path=path: self.client.request("GET", path + "?limit=1"))
            base, _, plural = path.rpartition("/")
            self.client.wait(f"discovery of {plural}", lambda base=base, plural=plural: self._is_listed(base, plural))
            self.client.wait(f"fields of {plural}", lambda path=path, base=base: self._is_published(base, path))

    def _create_crd(self, text: str) -> str:
        base = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        spec = self.client.request("POST", base, text, "application/yaml")["spec"]
        return f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"

    def _is_listed(self, base: str, plural: str) -> bool:
        return any(one["name"] == plural for one in self.client.request("GET", base)["resources"])

    def _is_published(self, base: str, path: str) -> bool:
        return path in self.client.request("GET", f"/openapi/v3{base}")["paths"]

    def _install_webhooks(self, short: str) -> None:
        """Upstream's configurations, with the manager's address on loopback in place of a Service."""
        text = (programs.manifests() / "webhooks" / f"{short}.yaml").read_text()
        for body in yaml.safe_load_all(text):
            if not body["kind"].endswith("WebhookConfiguration"):
                continue
            body["metadata"]["name"] = f"{short}-{body['metadata']['name']}"
            for hook in body["webhooks"]:
                url = f"https://{self.settings.address(f'{short}-webhook')}{hook['clientConfig']['service']['path']}"
                hook["clientConfig"] = {"url": url, "caBundle": self.settings.authority}
            self.client.create(body)
        self.client.wait(f"the webhooks of {short}", getattr(self, f"_{short}_asks"))

    def _jobset_asks(self) -> bool:
        """Whether both JobSet webhooks are in use already: the API server learns of them with a delay."""
        containers = [{"name": "a", "image": "a"}]
        job = {"name": "a", "template": {"spec": {"template": {"spec": {"containers": containers}}}}}
        body = {"apiVersion": _JOBSET, "kind": "JobSet", "spec": {"replicatedJobs": [job]}}
        defaulted = self.client.create({**body, "metadata": {"name": "probe"}}, dry_run=True)
        return "successPolicy" in defaulted["spec"] and self._is_denied({**body, "metadata": {"name": "x" * 63}})

    def _trainer_asks(self) -> bool:
        body = {"apiVersion": _TRAINJOB, "kind": "TrainJob", "spec": {"runtimeRef": {"name": "probe"}}}
        return self._is_denied({**body, "metadata": {"name": "probe"}})

    def _kueue_asks(self) -> bool:
        """Whether its webhook suspends a JobSet in a queue."""
        metadata = {"name": "probe", "labels": {"kueue.x-k8s.io/queue-name": "probe"}}
        containers = [{"name": "a", "image": "a"}]
        job = {"name": "a", "template": {"spec": {"template": {"spec": {"containers": containers}}}}}
        body = {"apiVersion": _JOBSET, "kind": "JobSet", "metadata": metadata, "spec": {"replicatedJobs": [job]}}
        return bool(self.client.create(body, dry_run=True)["spec"].get("suspend"))

    def _is_denied(self, body: Any) -> bool:
        try:
            self.client.create(body, dry_run=True)
        except ApiError as error:
            return "denied the request" in error.message
        return False
