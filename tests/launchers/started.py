"""A TrainJob built by the installed command, and its Pods started as processes of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.tools import require

HERE = Path(__file__).parent
PROBE = HERE / "probe.py"
_HANGS = 300  # seconds: only a launcher that never ends takes so long
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

    def seen(self) -> list[dict[str, Any]]:
        """What the processes saw, by rank."""
        found = [json.loads(file.read_text()) for file in (self.root / "seen").iterdir()]
        return sorted(found, key=lambda each: int(each["rank"]))


def built(root: Path, text: str) -> StartedJob:
    """The job `j` of a text, in a new directory."""
    root = Path(tempfile.mkdtemp(dir=root))
    (root / "seen").mkdir()
    (root / "trainjob.yaml").write_text(_SETTINGS)
    (root / "a.yaml").write_text(text)
    objects = list(yaml.safe_load_all(_run(root, "build", "a.yaml")))
    return StartedJob(root, objects, json.loads(_run(root, "env", "TrainJob/j", "-f", "a.yaml", "-o", "json")))


def _run(root: Path, *arguments: str) -> str:
    command = [require("kubectl-trainjob"), *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def variables(container: Any, index: int = 0) -> Iterator[tuple[str, str]]:
    """The env of a container in the Pod with an index."""
    for each in container.get("env") or ():
        yield each["name"], each.get("value", "") if "valueFrom" not in each else str(index)


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
    for each in processes:
        out, _ = each.communicate(timeout=_HANGS)
        assert each.returncode == 0, out
