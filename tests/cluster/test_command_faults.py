"""Every request of a command fails once, in every way a server can: the result is that without faults.

The commands are all but `apply`, which has its own table.
"""

from __future__ import annotations

import json
import random
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_trainjob.cluster import api
from tests.cluster.apply import inputs
from tests.cluster.apply.proxy import Answer, Fault, FaultProxy, Forward, Request, answer, reset
from tests.cluster.apply.test_faults import ONCE
from tests.cluster.canary import Canary
from tests.cluster.commands import Program, Ran, add_nodes, jobset, pods_of
from tests.cluster.kubelet import Kubelet
from tests.cluster.plane.plane import Plane

pytestmark = pytest.mark.cluster

TYPE_ERROR = (
    "failed to create typed patch object (t/a; v1, Kind=Secret): .data.k: expected string, got &{canary-5ecret}"
)
FOR_EVER: dict[str, Fault] = {
    "429": answer(429, "too many requests"),
    "500": answer(500, "etcdserver: leader changed"),
    "500 of a type": answer(500, TYPE_ERROR),
    "503": answer(503, "unavailable"),
    "reset": reset,
    "401": answer(401, "Unauthorized"),
    "403": answer(403, 'jobsets.jobset.x-k8s.io is forbidden: User "a" cannot list resource "jobsets"'),
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "status": ("status", "-o", "json"),
    "status of a job": ("status", "a", "-o", "yaml", "-f", "jobs"),
    "logs": ("logs", "a"),
    "suspend": ("suspend", "a"),
    "resume": ("resume", "a"),
    "secrets": ("secrets", "--create", "jobs"),
    "diff": ("diff", "--live", "-o", "json", "jobs"),
    "doctor": ("doctor", "-o", "json"),
    "doctor of files": ("doctor", "-o", "json", "jobs"),
}
_MOST_TRIES = 4  # the parent of a set is read twice


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane]) -> Iterator[Plane]:
    with (
        control_plane("kube-scheduler", "kwok", "jobset-manager") as plane,
        Kubelet(plane.settings.certificate, plane.folder / "server.key") as kubelet,
    ):
        add_nodes(plane, 1, kubelet.port)
        plane.client.create_namespace("t")
        plane.client.create(jobset("t", "a"))
        running = plane.client.wait("the Pod", lambda: [_name(pod) for pod in pods_of(plane.client, "t", "a")])
        kubelet.write(running[0], "first", "second")
        plane.client.wait("the JobSet", lambda: _ready(plane))
        yield plane


def _name(pod: inputs.Object) -> str:
    return str(pod["metadata"]["name"])


def _ready(plane: Plane) -> bool:
    live = plane.client.request("GET", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/t/jobsets/a")
    return any(each.get("ready") for each in live.get("status", {}).get("replicatedJobsStatus", []))


@pytest.fixture
def proxy(plane: Plane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FaultProxy]:
    """A proxy, and a directory with an MPI job whose Secret does not exist."""
    plane.client.wait("the server", lambda: plane.client.request("GET", "/readyz"))  # it closes idle connections
    monkeypatch.setattr(random, "random", lambda: 0.02)
    inputs.write(tmp_path, [inputs.job("m", "mpi")])
    monkeypatch.chdir(tmp_path)
    with FaultProxy(plane, canary=Canary(plane.settings.tokens.values())) as proxy:
        yield proxy


@pytest.fixture
def program(proxy: FaultProxy, tmp_path: Path) -> Iterator[Program]:
    proxy.kubeconfig(tmp_path / "kubeconfig", "t")
    program = Program(tmp_path / "kubeconfig")
    yield program
    assert [text for text in program.printed if "5ecret" in text or "Traceback" in text] == []
    assert proxy.canary.found(program.printed) == []


def _undo(plane: Plane, command: str) -> None:
    """Bring back the state before the command."""
    if command in ("suspend", "resume"):
        body = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "a", "namespace": "t"}}
        body["spec"] = {"suspend": True} if command == "resume" else {}
        query = "?fieldManager=kubectl-trainjob-suspend&force=true"
        plane.client.request("PATCH", plane.client.path(body) + query, body, "application/apply-patch+yaml")
    if command == "secrets":
        for kind, name in (("secrets", "m-mpi-ssh-auth"), ("configmaps", "kubectl-trainjob")):
            path = f"/api/v1/namespaces/t/{kind}"
            if name in {_name(each) for each in plane.client.request("GET", path)["items"]}:
                plane.client.request("DELETE", f"{path}/{name}")


def _run(plane: Plane, program: Program, command: str, *arguments: str) -> Ran:
    _undo(plane, command)
    ran = program(*COMMANDS[command], *arguments)
    if command in ("suspend", "resume"):
        _undo(plane, "suspend")  # the job runs again
    return ran


@pytest.mark.parametrize("fault", ONCE)
@pytest.mark.parametrize("command", COMMANDS)
def test_each_request_fails_once(plane: Plane, proxy: FaultProxy, program: Program, command: str, fault: str) -> None:
    expected = _stable(_run(plane, program, command))
    tries: Counter[str] = Counter()

    def is_first(request: Request) -> bool:
        key = f"{request.line} {request.query} {request.json if request.method == 'POST' else ''}"
        tries[key] += 1
        return tries[key] == 1 and not (fault == "slow" and command.startswith("doctor") and "selfsubj" in key)

    proxy.on("", "", ONCE[fault], times=1 << 30, only=is_first)
    ran = _run(plane, program, command, "--request-timeout", "1s" if fault == "slow" else "30s")
    assert _stable(ran) == expected, ran.err
    assert tries
    assert max(tries.values()) <= _MOST_TRIES


def _stable(ran: Ran) -> tuple[int, str]:
    """The exit code and the result, without counts of Pods that start or end just now."""
    if not ran.out.startswith("{"):
        return ran.code, ran.out
    data = ran.data
    for job in data.get("jobs", ()):
        for key in ("roles", "state", "conditions"):
            job.pop(key, None)
    return ran.code, json.dumps(data)


@pytest.mark.parametrize("fault", FOR_EVER)
@pytest.mark.parametrize("command", COMMANDS)
def test_all_requests_fail(proxy: FaultProxy, program: Program, command: str, fault: str) -> None:
    tries: Counter[str] = Counter()

    def count(request: Request) -> bool:
        tries[request.line] += 1
        return True

    proxy.on("", "", FOR_EVER[fault], times=1 << 30, only=count)
    ran = program(*COMMANDS[command])
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert ran.err.splitlines()[-1].startswith("error: ")
    assert max(tries.values()) <= 3


@pytest.mark.parametrize("fault", FOR_EVER)
@pytest.mark.parametrize("command", ["suspend", "resume", "secrets"])
def test_the_write_fails(plane: Plane, proxy: FaultProxy, program: Program, command: str, fault: str) -> None:
    tries: Counter[str] = Counter()

    def is_write(request: Request) -> bool:
        tries[request.line] += request.is_write
        return request.is_write

    proxy.on("", "", FOR_EVER[fault], times=1 << 30, only=is_write)
    ran = _run(plane, program, command)
    assert ran.code in (1, 2), ran.err
    assert "created" not in ran.out + ran.out.replace("secrets", "")
    is_permanent = fault in ("500 of a type", "403")
    assert max(tries.values()) == (1 if is_permanent else 2 if fault == "401" else 6)
    proxy.clear()
    assert _run(plane, program, command).code == 0


def _compact(plane: Plane) -> None:
    """Forget all old versions of objects, as a server does every five minutes."""

    def send(what: str, body: inputs.Object) -> inputs.Object:
        url = f"http://{plane.settings.address('etcd')}/v3/kv/{what}"
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), method="POST")) as answered:
            found: inputs.Object = json.load(answered)
        return found

    revision = send("range", {"key": "YQ=="})["header"]["revision"]
    send("compaction", {"revision": revision, "physical": True})


def test_a_list_that_expires_between_two_pages(
    plane: Plane, proxy: FaultProxy, program: Program, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        plane.client.create(jobset(namespace, name, suspend=True))
    expired: list[int] = []

    def fault(forward: Forward) -> Answer | None:
        plane.client.create(jobset(namespace, "d", suspend=True))
        _compact(plane)
        plane.stop("kube-apiserver")  # it has old versions in memory
        plane.start("kube-apiserver")
        found = forward()
        expired.append(found.status if found else 0)
        return found

    monkeypatch.setattr(api, "_PAGE", "1")
    proxy.on("GET", r"/jobsets\?.*continue=", fault)
    ran = program("status", "-n", namespace, "-o", "json")
    assert (ran.code, expired) == (0, [410]), ran.err
    assert [job["name"] for job in ran.data["jobs"]] == ["a", "b", "c", "d"]
