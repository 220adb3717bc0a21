"""A TrainJob built by the installed command, and its Pods started as processes of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.cluster.plane.settings import free_ports
from tests.tools import require

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROBE = HERE / "probe.py"
_HANGS = 900  # seconds: only a launcher that never ends takes so long
_SETTINGS = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Config
allow: {elastic: true, extendedMpi: true}
"""


class StartedJob(NamedTuple):
    """The directory of a job, its generated objects, and what `env` says."""

    root: Path
    objects: list[Any]
    environment: Any

    @property
    def jobset(self) -> Any:
        """The JobSet."""
        return next(each for each in self.objects if each["kind"] == "JobSet")

    @property
    def hostfile(self) -> str:
        """MPI's hostfile."""
        return str(next(each for each in self.objects if each["kind"] == "ConfigMap")["data"]["hostfile"])

    def container(self, replicated_job: str) -> Any:
        """The training container of a replicatedJob."""
        job = next(each for each in self.jobset["spec"]["replicatedJobs"] if each["name"] == replicated_job)
        return job["template"]["spec"]["template"]["spec"]["containers"][0]

    @property
    def name(self) -> str:
        """The name of the JobSet."""
        return str(self.jobset["metadata"]["name"])

    def seen(self) -> list[dict[str, Any]]:
        """What the processes saw, by rank."""
        found = [json.loads(file.read_text()) for file in (self.root / "seen").iterdir()]
        return sorted(found, key=lambda each: int(each["rank"]))


def built(root: Path, text: str) -> StartedJob:
    """The job `j` of a text, in a new directory."""
    root = _directory(root)
    (root / "a.yaml").write_text(text)
    return _job_of(root, "TrainJob/j", "a.yaml", yaml.safe_load_all(_run(root, "build", "a.yaml")))


def built_from(root: Path, source: str) -> list[StartedJob]:
    """Every job of a directory of this repository that is built, each in a new directory."""
    objects: list[Any] = list(yaml.safe_load_all(_run(ROOT, "build", source)))
    return [
        _job_of(_directory(root), f"TrainJob/{each['metadata']['name']}", str(ROOT / source), objects)
        for each in objects
        if each["kind"] == "JobSet"
    ]


def _directory(root: Path) -> Path:
    root = Path(tempfile.mkdtemp(dir=root))
    (root / "seen").mkdir()
    (root / "trainjob.yaml").write_text(_SETTINGS)
    return root


def _job_of(root: Path, name: str, source: str, objects: Iterable[Any]) -> StartedJob:
    """What a job has: its JobSet, and the ConfigMap of its hostfile."""
    names = (name.partition("/")[2], f"{name.partition('/')[2]}-mpi-hostfile")
    own = [each for each in objects if each["metadata"]["name"] in names and each["kind"] in ("JobSet", "ConfigMap")]
    where = root if (root / source).is_file() else ROOT
    return StartedJob(root, own, json.loads(_run(where, "env", name, "-f", source, "-o", "json")))


def _run(root: Path, *arguments: str) -> str:
    command = [require("kubectl-trainjob"), *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def variables(container: Any, index: int = 0) -> Iterator[tuple[str, str]]:
    """The env of a container in the Pod with an index."""
    for each in container.get("env") or ():
        yield each["name"], each.get("value", "") if "valueFrom" not in each else str(index)


def interpreter(program: str) -> str:
    """The Python of an installed launcher."""
    with open(require(program), encoding="utf-8") as file:
        return file.readline().removeprefix("#!").strip()


def free_port() -> int:
    """A port that nothing uses, and that no client gets."""
    return free_ports(("it",))["it"]


def start(job: StartedJob, command: list[str], env: dict[str, str]) -> subprocess.Popen[str]:
    """Start a process of a Pod in a separate group."""
    own = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return subprocess.Popen(
        command,
        cwd=job.root,
        env={**own, "PROBE": str(job.root / "seen"), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(processes: list[subprocess.Popen[str]]) -> None:
    """Wait for the processes, which must succeed."""
    try:
        for each in processes:
            out, _ = each.communicate(timeout=_HANGS)
            assert each.returncode == 0, out
    finally:
        for each in processes:
            if each.poll() is None:
                os.killpg(each.pid, signal.SIGKILL)
