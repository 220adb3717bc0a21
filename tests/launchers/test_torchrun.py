"""torchrun accepts the generated variables, and its processes see the ranks, sizes and addresses that `env` says."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.launchers.started import PROBE, StartedJob, built, finish, free_port, interpreter, start, variables
from tests.loops import for_each
from tests.tools import require

pytestmark = pytest.mark.slow

# torch 1.13 with Python 3.11 fails without a redirection of stdout.
OLD_TORCH = {"PET_REDIRECTS": "1", "PET_TEE": "1"}
ELASTIC = "{elasticPolicy: {minNodes: 1, maxNodes: 2, maxRestarts: 3}}"


def job(command: str, nodes: int = 1, processes: int = 1, policy: str = "{}") -> str:
    """A runtime and a TrainJob `j`."""
    return f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {{name: r, namespace: ml}}
spec:
  mlPolicy: {{torch: {policy}}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec: {{template: {{spec: {{containers: [{{name: node, image: "a:1"}}]}}}}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: j, namespace: ml}}
spec:
  runtimeRef: {{kind: TrainingRuntime, name: r}}
  trainer: {{numNodes: {nodes}, numProcPerNode: {processes}, command: [{command}]}}
"""


CASES = {
    "one process": job(f"torchrun, {PROBE}"),
    "two processes": job(f"torchrun, {PROBE}", processes=2),
    "two nodes": job(f"torchrun, {PROBE}", nodes=2),
    "two nodes with two processes": job(f"torchrun, {PROBE}", nodes=2, processes=2),
    "the module": job(f"python, -m, torch.distributed.run, {PROBE}", nodes=2),
    "a flag": job(f'torchrun, "--nproc_per_node=2", {PROBE}'),
    "min = max": job(f"torchrun, {PROBE}", nodes=2, policy="{elasticPolicy: {minNodes: 2, maxNodes: 2}}"),
}


def environment(started: StartedJob, index: int, port: int) -> dict[str, str]:
    """The variables of a Pod, with a loopback address in place of its peers."""
    found = {}
    for name, value in variables(started.container("node"), index):
        local = re.sub(r"j-node-0-\d+\.j", "127.0.0.1", value)
        found[name] = re.sub(r"^29500$|(?<=:)29500$", str(port), local)
    return {**found, **OLD_TORCH, "POD": f"j-node-0-{index}.j"}


def started_pod(started: StartedJob, index: int, port: int) -> subprocess.Popen[str]:
    """The process of a Pod."""
    program, *words = started.container("node")["command"]
    path = interpreter("torchrun") if program == "python" else require(program)
    return start(started, [path, *words], environment(started, index, port))


@for_each("case", CASES, at_least=7)
def test_the_ranks_are_those_of_env(case: str, tmp_path: Path) -> None:
    started, port = built(tmp_path, case), free_port()
    said = started.environment
    nodes = said["roles"][0]["pods"]
    finish([started_pod(started, index, port) for index in range(nodes)])
    seen, total = started.seen(), said["worldSize"]["value"]
    each = said["roles"][0]["processesPerNode"]["value"]
    hosts = said["roles"][0]["dns"]
    assert [(one["rank"], one["size"], one["local"], one["host"]) for one in seen] == [
        (rank, total, rank % each, hosts[rank // each]) for rank in range(total)
    ]
    assert (said["master"]["address"], said["master"]["port"]) == (hosts[0], "29500")
    assert {one["master"] for one in seen} == {f"127.0.0.1:{port}"}


@pytest.mark.parametrize(
    ("words", "env", "size"),
    [
        ("torchrun, --nproc_per_node=2", "[]", 2),
        ("torchrun", '[{name: PET_NPROC_PER_NODE, value: "3"}]', 3),
        ("torchrun, --nproc_per_node=2", '[{name: PET_NPROC_PER_NODE, value: "3"}]', 2),
        ("torchrun", "[]", 1),
    ],
)
def test_torchrun_without_its_policy_starts_what_env_says(words: str, env: str, size: int, tmp_path: Path) -> None:
    text = job(f"{words}, {PROBE}").replace("mlPolicy: {torch: {}}", "mlPolicy: {numNodes: 1}")
    text = text.replace("numProcPerNode: 1", f"env: {env}")
    started, port = built(tmp_path, text), free_port()
    path, *others = started.container("node")["command"]
    variables_of_pod = {**environment(started, 0, port), "PET_MASTER_PORT": str(port)}
    finish([start(started, [require(path), *others], variables_of_pod)])
    assert [one["size"] for one in started.seen()] == [size] * size
    assert started.environment["worldSize"]["value"] == size


@pytest.mark.parametrize("processes", [0, -1])
def test_torchrun_fails_without_a_process(processes: int, tmp_path: Path) -> None:
    started = built(tmp_path, job(f"torchrun, {PROBE}", processes=processes))
    pod = started_pod(started, 0, free_port())
    output, _ = pod.communicate(timeout=600)
    assert pod.returncode != 0
    assert "assert self.local_world_size > 0" in output
    assert started.seen() == []


def test_the_parser_of_torchrun_reads_the_elastic_variables(tmp_path: Path) -> None:
    started = built(tmp_path, job(f"torchrun, {PROBE}", nodes=2, processes=2, policy=ELASTIC))
    code = (
        "from torch.distributed.run import parse_args; a = parse_args(['t.py']); "
        "print(a.nnodes, a.nproc_per_node, a.rdzv_backend, a.rdzv_id, a.rdzv_endpoint, a.max_restarts)"
    )
    env = {"PATH": os.environ["PATH"], **dict(variables(started.container("node")))}
    found = subprocess.run([interpreter("torchrun"), "-c", code], env=env, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["1:2", "2", "c10d", "j", "j-node-0-0.j:29500", "3"]


WORKER = """\
import os, pathlib, sys, time
root, generation = pathlib.Path(os.environ["PROBE"]), os.getpid()
(root / f"size-{os.environ['WORLD_SIZE']}-{os.environ['RANK']}-{generation}").touch()
lost = len(list(root.glob("lost-*")))
while not (root / "stop").exists():
    if len(list(root.glob("lost-*"))) > lost:
        sys.exit(1)  # as a collective operation fails without a peer
    time.sleep(0.1)
"""


def until(condition: Callable[[], bool], processes: list[subprocess.Popen[str]]) -> None:
    """Wait for a state; the processes that write it must live."""
    for _ in range(6000):
        if condition():
            return
        assert all(each.poll() is None for each in processes), [each.communicate()[0] for each in processes]
        time.sleep(0.1)
    raise AssertionError("the state was not reached")


@pytest.fixture
def stopped() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that end with the test."""
    found: list[subprocess.Popen[str]] = []
    yield found
    for each in found:
        if each.poll() is None:
            os.killpg(each.pid, signal.SIGKILL)


def test_an_elastic_job_forms_loses_a_node_and_forms_again(
    tmp_path: Path, stopped: list[subprocess.Popen[str]]
) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    started, port = built(tmp_path, job(f"torchrun, {worker}", nodes=2, policy=ELASTIC)), free_port()
    seen = started.root / "seen"

    def formed(size: int) -> set[Any]:
        return set(seen.glob(f"size-{size}-*"))

    first = started_pod(started, 0, port)
    stopped.append(first)
    until(lambda: is_listening(port), [first])  # the first node has the address, so it meets the others
    second = started_pod(started, 1, port)
    stopped.append(second)
    until(lambda: len(formed(2)) >= 2, [first, second])
    alone = formed(1)
    os.killpg(second.pid, signal.SIGKILL)
    for each in children_of(second.pid):
        os.kill(each, signal.SIGKILL)
    (seen / "lost-1").touch()
    until(lambda: bool(formed(1) - alone), [first])
    both = formed(2)
    third = started_pod(started, 1, port)
    stopped.append(third)
    until(lambda: len(formed(2) - both) >= 2, [first, third])
    (seen / "stop").touch()
    finish([first, third])


def is_listening(port: int) -> bool:
    """Whether a program accepts connections at a port."""
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) == 0


def children_of(session: int) -> list[int]:
    """The processes of a session: workers of torchrun have groups of their own."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.name))
    return found
