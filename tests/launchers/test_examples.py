"""Processes of the worked examples and of jobs of the catalogue see what `env` says of them.

The Pods run as processes of this machine, with the commands and variables of the build: torchrun and its module,
accelerate, deepspeed, and mpirun of Open MPI 4 and 5.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.kube.facts.mpi import HOSTFILE
from kubectl_trainjob.kube.launch import accelerate, flags
from tests.launchers.started import (
    HERE,
    PROBE,
    ROOT,
    StartedJob,
    built,
    built_from,
    finish,
    free_port,
    interpreter,
    start,
    variables,
)
from tests.launchers.test_mpirun import LOCAL, OPEN_MPI, OPEN_MPI_5, SSH
from tests.launchers.test_torchrun import OLD_TORCH
from tests.tools import require

pytestmark = pytest.mark.slow

EXAMPLES = {"overlays/fashion-mnist": 1, "overlays/vision/dev": 2, "overlays/vision/prod": 2, "overlays/gpu-fleet": 6}
"""Directories, and how many different jobs of them are small at least."""
_MOST_PODS, _MOST_PROCESSES = 2, 16  # of the examples that run here
_LAUNCHERS = ("torchrun", "accelerate")
_ADDRESSES = (
    "--main_process_ip=$(PET_MASTER_ADDR)",
    "--main_process_port=$(PET_MASTER_PORT)",
    "--machine_rank=$(PET_NODE_RANK)",
)


def job(runtime: str, command: list[str], nodes: int, gpus: int, processes: int | None = None) -> str:
    """A TrainJob `j` of a runtime of the catalogue, and the runtime."""
    each = "" if processes is None else f", numProcPerNode: {processes}"
    return (
        f"{(ROOT / 'runtimes' / f'{runtime}.yaml').read_text()}\n---\n"
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: j, namespace: ml}\n"
        f"spec:\n  runtimeRef: {{name: {runtime}}}\n  trainer:\n    numNodes: {nodes}\n"
        f"    resourcesPerNode: {{limits: {{nvidia.com/gpu: {gpus}}}}}\n    command: {command}\n"
    ).replace("    command:", f"    {each.lstrip(', ')}\n    command:" if each else "    command:")


_OLD = "--tee=1"  # see OLD_TORCH, which accelerate does not read
_MULTI = ["accelerate", "launch", _OLD, "--multi_gpu"]
_DEEPSPEED = ["deepspeed", f"--hostfile={HOSTFILE}", "--no_python", "--no_local_rank"]
CATALOGUE = {
    "torchrun": job("torch-distributed", ["torchrun", "train.py"], 2, 2),
    "torchrun in a shell": job("torch", ["bash", "-c", "exec torchrun train.py"], 2, 1),
    "the module": job("torch", ["python", "-m", "torch.distributed.run", "train.py"], 2, 2),
    "one process of two GPUs": job("torch-coscheduling", ["torchrun", "train.py"], 2, 2, processes=1),
    "a flag": job("torch-volcano", ["torchrun", "--nproc_per_node=3", "train.py"], 2, 2),
    "accelerate": job("torch", [*_MULTI, "train.py"], 2, 2),
    "its module": job("torch", ["python", "-m", "accelerate.commands.launch", _OLD, "train.py"], 1, 2),
    "accelerate with a number": job("torch-distributed", [*_MULTI, "--num_processes=3", "train.py"], 2, 2),
    "accelerate with machines": job(
        "torch-distributed",
        [*_MULTI, "--num_processes=4", "--num_machines=$(PET_NNODES)", *_ADDRESSES, "train.py"],
        2,
        2,
    ),
    "deepspeed": job("deepspeed", [*_DEEPSPEED, str(PROBE)], 2, 2),
    "mpirun": job("deepspeed-distributed", ["mpirun", "python", "train.py"], 2, 2),
    "mpirun with a number": job("mlx-distributed", ["mpirun", "-np", "2", "python", "train.py"], 2, 2),
    "mpirun of Open MPI 5": job("deepspeed", ["mpirun", f"--hostfile={HOSTFILE}", "python", "train.py"], 2, 2),
}


def _examples(root: Path, source: str) -> list[StartedJob]:
    """The jobs of a directory that run here, one for each command, size and number of GPUs."""
    found = [each for each in built_from(root, source) if _runs_here(each)]
    return list({str([_container(each)["command"], _pods(each), _gpus(each)]): each for each in found}.values())


def _pods(started: StartedJob) -> int:
    return sum(int(role["pods"]) for role in started.environment["roles"] if role["processesPerNode"])


def _runs_here(started: StartedJob) -> bool:
    """Whether a job has a launcher that is installed, and is small."""
    said = started.environment
    words = _container(started)["command"]
    total = (said["worldSize"] or {}).get("value") or _MOST_PROCESSES + 1
    return (
        words[0] in (*_LAUNCHERS, "deepspeed", "mpirun") and _pods(started) <= _MOST_PODS and total <= _MOST_PROCESSES
    )


def _container(started: StartedJob) -> Any:
    """The container that starts the training."""
    names = [each["name"] for each in started.jobset["spec"]["replicatedJobs"]]
    return started.container("launcher" if "launcher" in names else "node")


def _write_programs(started: StartedJob, words: list[str]) -> list[str]:
    """The words, with the probe as each module and file of Python in them."""
    found = []
    for before, word in zip(["", *words], words, strict=False):
        if before == "-m" and "." in word and not word.startswith(("torch.", "accelerate.")):
            _probe(started.root / f"{word.replace('.', '/')}.py")
        if word.endswith("train.py") and " " not in word:
            word = str(_probe(started.root / word.lstrip("/")))  # noqa: PLW2901
        elif "train.py" in word:
            _probe(started.root / "train.py")
        found.append(word)
    return found


def _probe(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PROBE.read_text())
    return path


def _variables(started: StartedJob, index: int, port: int) -> dict[str, str]:
    """The variables of a Pod, with a loopback address in place of its peers."""
    peers = re.compile(rf"{started.name}-node-0-\d+\.{started.name}\b")
    found = {}
    for name, value in variables(_container(started), index):
        found[name] = re.sub(r"^29500$|(?<=:)29500$", str(port), peers.sub("127.0.0.1", value))
    return {**found, **OLD_TORCH}


def _gpus(started: StartedJob) -> str:
    limits = (_container(started).get("resources") or {}).get("limits") or {}
    return str(limits.get("nvidia.com/gpu", 0))


def _command(started: StartedJob, env: dict[str, str]) -> list[str]:
    """The command as the kubelet starts it, with the launcher on this machine's Python."""
    container = _container(started)
    words = [*container["command"], *(container.get("args") or ())]
    words = [re.sub(r"\$\(([A-Z_]+)\)", lambda found: env[found[1]], word) for word in words]
    words = _write_programs(started, words)
    module = words[2] if words[:2] == ["python", "-m"] else words[0]
    program = "accelerate" if module.startswith("accelerate") else "torchrun"
    if words[0] == "deepspeed":
        return [require(words[0]), *words[1:]]
    if words[0] in _LAUNCHERS:
        return [interpreter(words[0]), str(HERE / "with_gpus.py"), _gpus(started), require(words[0]), *words[1:]]
    if words[0] == "python":
        return [interpreter(program), str(HERE / "with_gpus.py"), _gpus(started), *words[1:]]
    return words


def _run_torch(started: StartedJob) -> None:
    port = free_port()
    pods = started.environment["roles"][-1]["pods"]
    processes, shell = [], _shell(started)  # written once: the shell of a Pod cannot start a file that is written
    for index in range(pods):
        env = {**_variables(started, index, port), "POD": f"{started.name}-node-0-{index}.{started.name}"}
        processes.append(start(started, _command(started, env), {**env, **shell}))
    finish(processes)
    said = started.environment
    assert {each["master"] for each in started.seen()} == {f"127.0.0.1:{port}"}
    assert (said["master"]["address"], said["master"]["port"]) == (f"{started.name}-node-0-0.{started.name}", "29500")


def _shell(started: StartedJob) -> dict[str, str]:
    """The variables with which a shell finds the launcher, in its Pod's way."""
    folder = started.root / "bin"
    folder.mkdir(exist_ok=True)
    wrapper = folder / "torchrun"
    words = [interpreter("torchrun"), str(HERE / "with_gpus.py"), _gpus(started), require("torchrun")]
    wrapper.write_text(f'#!/bin/sh\nexec {" ".join(words)} "$@"\n')
    wrapper.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def _run_mpi(started: StartedJob, program: str) -> None:
    """The command of the launcher: the SSH servers of the nodes are this machine."""
    container = _container(started)
    file = started.root / "hostfile"
    file.write_text(started.hostfile)
    env = {name: value.replace(HOSTFILE, str(file)) for name, value in variables(container)}
    words = [word.replace(HOSTFILE, str(file)) for word in _command(started, env)]
    if words[0] == "mpirun":
        words = [require(program), *words[1:]]
    ssh = {name: str(HERE / "ssh") for name in SSH.values()}
    own = {**env, **LOCAL, **ssh, "PATH": f"{HERE}:{os.environ['PATH']}"}
    finish([start(started, words, own)])


def _check(started: StartedJob) -> None:
    """What the processes saw is what `env` says."""
    said = started.environment
    seen, total = started.seen(), said["worldSize"]["value"]
    assert [each["rank"] for each in seen] == list(range(total))
    assert {each["size"] for each in seen} == {total}
    found = Counter(each["host"] for each in seen)
    for role in said["roles"]:
        count = (role["processesPerNode"] or {}).get("value")
        for host in role["dns"] if isinstance(count, int) and found else ():
            assert found[host] == count, (host, found)
    for name in found:
        assert sorted(each["local"] for each in seen if each["host"] == name) == list(range(found[name]))


def run(started: StartedJob, program: str = OPEN_MPI) -> None:
    """Start a job and check it."""
    if started.environment["hostfile"] is None:
        _run_torch(started)
    else:
        _run_mpi(started, program)
    _check(started)


@pytest.mark.parametrize("name", CATALOGUE)
def test_jobs_of_the_catalogue_see_what_env_says(name: str, tmp_path: Path) -> None:
    run(built(tmp_path, CATALOGUE[name]), OPEN_MPI_5 if "5" in name else OPEN_MPI)


@pytest.mark.parametrize("source", EXAMPLES)
def test_examples_see_what_env_says(source: str, tmp_path: Path) -> None:
    found = _examples(tmp_path, source)
    assert len(found) >= EXAMPLES[source]
    for started in found:
        run(started)


def options(command: list[str]) -> dict[str, int]:
    """The options of a parser of Python by its help, and how many words follow each."""
    text = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "500"}
    ).stdout
    found = re.findall(r"\[(-[\w-]+)( [^\]|]+)?\]", text.partition("positional arguments")[0])
    found += [each for line in re.findall(r"^  (-\S.*?)(?:  |$)", text, re.M) for each in _spellings(line)]
    return {name: int(bool(words)) for name, words in found}


def _spellings(line: str) -> list[tuple[str, str]]:
    """Of `-H HOSTFILE, --hostfile HOSTFILE`."""
    return re.findall(r"(-[\w-]+)((?: (?:\{[^}]*\}|[^,\s]+))?)(?:,|$)", line)


@pytest.mark.parametrize(
    ("command", "table"),
    [
        (["torchrun", "--help"], flags.TORCHRUN.arity),
        (["accelerate", "launch", "--help"], accelerate.ACCELERATE.arity),
        (["deepspeed", "--help"], flags.DEEPSPEED.arity),
    ],
)
def test_the_table_of_flags_is_that_of_the_help(command: list[str], table: Callable[[str], int]) -> None:
    found = options([require(command[0]), *command[1:]])
    assert len(found) >= 20
    assert {name: words for name, words in found.items() if table(name) != words} == {}
