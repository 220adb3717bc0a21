"""`logs` through a real API server: which Pod has a rank or a role, restarts, and streams that break.

The Pods are fake, and the API server gets their logs from the endpoint of kubelet.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.commands import Program, add_nodes, jobset, pods_of
from tests.cluster.kubelet import Kubelet
from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane
from tests.tools import require

pytestmark = pytest.mark.cluster

JOBS = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: torch}
spec: {runtimeRef: {name: torch, kind: TrainingRuntime}, trainer: {numNodes: 2, numProcPerNode: 4}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: mpi}
spec: {runtimeRef: {name: mpi, kind: TrainingRuntime}, trainer: {numNodes: 2, numProcPerNode: 2}}
"""


def runtime(name: str, policy: str, *roles: str) -> str:
    """A runtime whose Pods run until they are deleted."""
    text = f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {{name: {name}}}
spec:
  mlPolicy: {{numNodes: 1, {policy}}}
  template:
    spec:
      replicatedJobs:
"""
    for role in roles:
        step = "" if role == "node" and len(roles) > 1 else "trainer.kubeflow.org/trainjob-ancestor-step: trainer"
        text += f"""\
      - name: {role}
        template:
          metadata: {{labels: {{{step}}}}}
          spec:
            template:
              metadata: {{annotations: {{fake-pod/outcome: hang}}}}
              spec: {{containers: [{{name: node, image: a}}]}}
"""
    return text + "---\n"


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane]) -> Iterator[Plane]:
    with control_plane("kube-scheduler", "kwok", "jobset-manager") as plane:
        yield plane


@pytest.fixture(scope="module")
def kubelet(plane: Plane) -> Iterator[Kubelet]:
    with Kubelet(plane.settings.certificate, plane.folder / "server.key") as kubelet:
        add_nodes(plane, 1, kubelet.port)
        yield kubelet


@pytest.fixture(scope="module")
def program(
    plane: Plane,
    program: Program,
    kubelet: Kubelet,  # noqa: ARG001 - it has the logs
    tmp_path_factory: pytest.TempPathFactory,
) -> Program:
    """The program; the namespace `train` has a torch and an MPI job."""
    plane.client.create_namespace("train")
    file = tmp_path_factory.mktemp("files") / "jobs.yaml"
    torch = runtime("torch", "torch: {}", "node")
    file.write_text(torch + runtime("mpi", "mpi: {mpiImplementation: OpenMPI}", "launcher", "node") + JOBS)
    ran = program("apply", str(file), "-n", "train")
    assert ran.code == 0, ran.err
    running(plane.client, "train", "torch", 2)
    running(plane.client, "train", "mpi", 3)
    return program


def running(client: Client, namespace: str, name: str, count: int) -> list[str]:
    """The names of the Pods of a JobSet, once they all run."""

    def ready() -> list[dict[str, Any]]:
        pods = [pod for pod in pods_of(client, namespace, name) if pod["status"].get("phase") == "Running"]
        return pods if len(pods) == count else []

    found = client.wait(f"{count} Pods of {name}", ready)
    return [pod["metadata"]["name"] for pod in found]


def pod_of(client: Client, name: str, role: str, index: str) -> str:
    """The Pod of a role."""
    (found,) = (
        pod["metadata"]["name"]
        for pod in pods_of(client, "train", name)
        if f"-{role}-0-{index}-" in pod["metadata"]["name"]
    )
    return str(found)


@pytest.mark.parametrize(
    ("arguments", "role", "note"),
    [
        ("torch", "node-0", "the Pod has the ranks 0 to 3"),
        ("torch --rank 3", "node-0", "the Pod has the ranks 0 to 3"),
        ("torch --rank 4", "node-1", "the Pod has the ranks 4 to 7"),
        ("torch --role node --index 1", "node-1", ""),
        ("mpi", "launcher-0", "mpirun writes the output of all ranks"),
        ("mpi --rank 3", "launcher-0", "mpirun writes the output of all ranks"),
        ("mpi --role node --index 1", "node-1", ""),
    ],
)
def test_the_pod_of_a_rank(
    plane: Plane, program: Program, kubelet: Kubelet, arguments: str, role: str, note: str
) -> None:
    pod = pod_of(plane.client, arguments.split(maxsplit=1)[0], *role.split("-"))
    kubelet.write(pod, f"I am {pod}")
    ran = program("logs", "-n", "train", *arguments.split())
    assert (ran.code, ran.out.splitlines()[-1]) == (0, f"I am {pod}"), ran.err
    assert note in ran.err
    real = subprocess.run(
        [require("kubectl"), f"--kubeconfig={plane.kubeconfig}", "-n", "train", "logs", pod, "--tail=1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert real.stdout == program("logs", "-n", "train", *arguments.split(), "--tail", "1").out


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("torch --rank 8", "rank 8 does not exist; the job has the ranks 0 to 7"),
        ("mpi --rank 4", "rank 4 does not exist; the job has the ranks 0 to 3"),
        ("torch --role launcher", 'role "launcher" does not exist; the roles are: node'),
        ("torch --role node --index 2", 'index 2 does not exist; "node" has 0 to 1'),
        ("torch -c sidecar", 'container "sidecar" does not exist; the containers are: node'),
        ("torch -p", "has not been restarted"),
        ("absent", 'job "absent" does not exist'),
    ],
)
def test_what_does_not_exist(program: Program, arguments: str, error: str) -> None:
    ran = program("logs", "-n", "train", *arguments.split())
    assert (ran.code, ran.out) == (1, "")
    assert error in ran.err.splitlines()[-1]


@pytest.mark.parametrize("arguments", ["torch --rank 0 --role node", "torch --index 1", "torch -f -p", ""])
def test_usage(program: Program, arguments: str) -> None:
    ran = program("logs", *arguments.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1].startswith("error: ")


class Follower:
    """`logs -f` in a process, with its lines as they come."""

    def __init__(self, plane: Plane, *arguments: str) -> None:
        command = [require("kubectl-trainjob"), "logs", "-f", *arguments, "--kubeconfig", str(plane.kubeconfig)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout
        self.lines.extend(())
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))

    def end(self) -> tuple[int, str]:
        """The exit code and stderr."""
        code = self._process.wait(300)
        assert self._process.stderr
        return code, self._process.stderr.read()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self._process.kill()


@pytest.fixture
def follow(plane: Plane, program: Program) -> Iterator[Callable[..., Follower]]:  # noqa: ARG001
    started: list[Follower] = []

    def start(*arguments: str) -> Follower:
        started.append(Follower(plane, *arguments))
        return started[-1]

    yield start
    for each in started:
        each.kill()


def test_a_stream_that_breaks_continues_after_its_last_line(
    plane: Plane, kubelet: Kubelet, follow: Callable[..., Follower]
) -> None:
    plane.client.create(jobset("train", "cut"))
    (pod,) = running(plane.client, "train", "cut", 1)
    kubelet.write(pod, "one", "two")
    follower = follow("cut", "-n", "train")
    plane.client.wait("two lines", lambda: follower.lines == ["one", "two"])
    kubelet.cut()
    kubelet.write(pod, "three")
    plane.client.wait("three lines", lambda: follower.lines == ["one", "two", "three"])


def test_an_interrupt_ends_a_stream(plane: Plane, kubelet: Kubelet, follow: Callable[..., Follower]) -> None:
    plane.client.create(jobset("train", "stop"))
    (pod,) = running(plane.client, "train", "stop", 1)
    kubelet.write(pod, "one")
    follower = follow("stop", "-n", "train")
    plane.client.wait("a line", lambda: follower.lines == ["one"])
    follower.interrupt()
    assert (follower.end(), follower.lines) == ((130, ""), ["one"])


def test_a_new_pod_is_followed_until_the_job_ends(
    plane: Plane, kubelet: Kubelet, follow: Callable[..., Follower], program: Program
) -> None:
    client = plane.client
    client.create(jobset("train", "again", spec={"failurePolicy": {"maxRestarts": 1}}))
    (first,) = running(client, "train", "again", 1)
    kubelet.write(first, "first")
    follower = follow("again", "-n", "train")
    client.wait("the first Pod", lambda: follower.lines == ["first"])
    _fail(client, first)
    kubelet.end(first)
    (second,) = client.wait("the second Pod", lambda: [n for n in running(client, "train", "again", 1) if n != first])
    kubelet.write(second, "second")
    client.wait("the second Pod's line", lambda: follower.lines == ["first", "second"])
    kubelet.write(second, "the end")
    _fail(client, second)
    kubelet.end(second)
    code, errors = follower.end()
    assert (code, follower.lines) == (0, ["first", "second", "the end"])
    assert f"{second} continues after a restart" in errors
    assert program("status", "again", "-n", "train", "-o", "json").data["jobs"][0]["roles"][0]["restarts"] == 1


def _fail(client: Client, pod: str) -> None:
    patch = {"status": {"phase": "Failed"}}
    client.request("PATCH", f"/api/v1/namespaces/train/pods/{pod}/status", patch, "application/merge-patch+json")


def _container(client: Client, pod: str, restarts: int, state: Any) -> None:
    status = {"name": "node", "image": "a", "imageID": "", "ready": True, "restartCount": restarts, "state": state}
    patch = {"status": {"containerStatuses": [status]}}
    client.request("PATCH", f"/api/v1/namespaces/train/pods/{pod}/status", patch, "application/merge-patch+json")


def test_a_restarted_container_is_followed(
    plane: Plane, kubelet: Kubelet, follow: Callable[..., Follower], program: Program
) -> None:
    client = plane.client
    client.create(jobset("train", "loop", restartPolicy="OnFailure", job={"backoffLimit": 6}))
    (pod,) = running(client, "train", "loop", 1)
    _container(client, pod, 0, {"running": {}})
    kubelet.write(pod, "before")
    follower = follow("loop", "-n", "train")
    client.wait("a line", lambda: follower.lines == ["before"])
    kubelet.restart(pod)
    _container(client, pod, 1, {"running": {}})
    kubelet.write(pod, "after")
    client.wait("the next line", lambda: follower.lines == ["before", "after"])
    ran = program("logs", "loop", "-n", "train", "-p")
    assert (ran.code, ran.out) == (0, "before\n"), ran.err


def test_follow_waits_for_the_pod(plane: Plane, kubelet: Kubelet, follow: Callable[..., Follower]) -> None:
    client = plane.client
    client.create(jobset("train", "late", suspend=True))
    follower = follow("late", "-n", "train", "--tail", "1")
    ran = Program(plane.kubeconfig)("logs", "late", "-n", "train")
    assert (ran.code, "has no Pod with index 0" in ran.err) == (1, True)
    assert Program(plane.kubeconfig)("resume", "late", "-n", "train").code == 1  # the files suspend it
    client.merge(jobset("train", "late"), {"spec": {"suspend": False}})
    (pod,) = running(client, "train", "late", 1)
    kubelet.write(pod, "hello")
    client.wait("a line", lambda: follower.lines == ["hello"])
    client.request("DELETE", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/train/jobsets/late")
    kubelet.end(pod)
    assert follower.end()[0] == 0


def test_a_terminal_and_a_ci_system_get_safe_text_and_others_the_bytes(
    plane: Plane, kubelet: Kubelet, tmp_path: Path
) -> None:
    plane.client.create(jobset("train", "raw"))
    (pod,) = running(plane.client, "train", "raw", 1)
    kubelet.write(pod, "::add-mask::x", "\x1b[31mred\x1b]52;c;aGk=\x07")
    options = ["-n", "train", f"--kubeconfig={plane.kubeconfig}"]
    command = [require("kubectl-trainjob"), "logs", "raw", *options]
    env = {name: value for name, value in os.environ.items() if name not in ("CI", "TF_BUILD", "TEAMCITY_VERSION")}
    real = subprocess.run([require("kubectl"), "logs", pod, *options], stdout=subprocess.PIPE, check=True).stdout
    assert subprocess.run(command, stdout=subprocess.PIPE, check=True, env=env).stdout == real
    env["CI"] = "true"
    safe = b"\\x3a:add-mask::x\n\x1b[31mred\\x1b]52;c;aGk=\\x07\n"
    assert subprocess.run(command, stdout=subprocess.PIPE, check=True, env=env).stdout == safe
    with open(tmp_path / "log", "wb") as file:
        subprocess.run(command, stdout=file, check=True, env=env)
    assert (tmp_path / "log").read_bytes() == real
    reader, terminal = os.openpty()
    subprocess.run(command, stdout=terminal, check=True, env=env)
    os.close(terminal)
    assert os.read(reader, 1 << 16).replace(b"\r\n", b"\n") == safe
    os.close(reader)
