"""Runs the program against a control plane, as a user does."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kubectl_trainjob.cli.app import run
from tests.cluster.canary import Canary
from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Program:
    """The program with one kubeconfig, and all that it has printed."""

    kubeconfig: Path
    printed: list[str] = field(default_factory=list)

    def __call__(self, command: str, *arguments: str) -> Ran:
        """Run a command in this process."""
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run("kubectl-trainjob", [command, *arguments, "--kubeconfig", str(self.kubeconfig)])
            out.flush()
            err.flush()
            texts = [each.buffer.getvalue().decode() for each in (out, err)]  # type: ignore[attr-defined]
            self.printed.extend(texts)
            return Ran(code, *texts)


@contextlib.contextmanager
def opened(plane: Plane) -> Iterator[Program]:
    """The program as the administrator of a plane. At the end nothing that is secret was printed."""
    program = Program(plane.kubeconfig)
    yield program
    canary = Canary(plane.settings.tokens.values())
    for one in plane.client.items("v1", "Secret"):
        canary.learn(one)
    assert canary.found(program.printed) == []


def add_nodes(plane: Plane, count: int, kubelet: int = 0) -> None:
    """Nodes with 8 GPUs each; `kubelet` is the port of their kubelet on loopback."""
    capacity = {"cpu": "64", "memory": "1Ti", "pods": "1000", "nvidia.com/gpu": "8"}
    status: dict[str, Any] = {"capacity": capacity, "allocatable": capacity}
    status["conditions"] = [{"type": "Ready", "status": "True"}]
    if kubelet:
        status["addresses"] = [{"type": "InternalIP", "address": "127.0.0.1"}]
        status["daemonEndpoints"] = {"kubeletEndpoint": {"Port": kubelet}}
    for number in range(count):
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"gpu-{number}"}, "status": status}
        plane.client.create(node)


def jobset(namespace: str, name: str, *, pods: int = 1, outcome: str = "hang", **changes: Any) -> dict[str, Any]:
    """A JobSet with one role. `changes` are of its Pod spec, `job` of its Job, `spec` and `labels` of the JobSet."""
    container = {"name": "node", "image": "acme/train:1", "resources": changes.pop("resources", {})}
    container |= changes.pop("container", {})
    metadata = {"name": name, "namespace": namespace, "labels": changes.pop("labels", {})}
    spec: dict[str, Any] = {"suspend": True} if changes.pop("suspend", False) else {}
    spec |= changes.pop("spec", {})
    job = {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "backoffLimit": 0}
    job |= changes.pop("job", {})
    template = {
        "metadata": {"annotations": {"fake-pod/outcome": outcome}},
        "spec": {"restartPolicy": "Never", "containers": [container], **changes},
    }
    spec["replicatedJobs"] = [{"name": "node", "template": {"spec": {**job, "template": template}}}]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec}


def pods_of(client: Client, namespace: str, name: str) -> list[dict[str, Any]]:
    """The Pods of a JobSet, by name."""
    selector = f"jobset.sigs.k8s.io/jobset-name={name}"
    found = client.request("GET", f"/api/v1/namespaces/{namespace}/pods?labelSelector={selector}")["items"]
    return sorted(found, key=lambda pod: pod["metadata"]["name"])
