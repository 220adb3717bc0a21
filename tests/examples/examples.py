"""What there is to build: a small TrainJob for every runtime of the catalogue, and the worked overlays."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.commands import call

ROOT = Path(__file__).resolve().parents[2]
ALL_RUNTIMES = sorted((ROOT / "runtimes").glob("*.yaml"))
AS_RELEASED = {
    "deepspeed-distributed",
    "jax-distributed",
    "mlx-distributed",
    "torch-distributed",
    "torch-distributed-with-cache",
    "torchtune-llama3.2-1b",
    "torchtune-llama3.2-3b",
    "torchtune-qwen2.5-1.5b",
    "xgboost-distributed",
}
"""Runtimes with the content of upstream's release: tests/unit/test_catalogue.py compares them."""

RUNTIMES = [path for path in ALL_RUNTIMES if path.stem not in AS_RELEASED]
OVERLAYS = ("overlays/vision/dev", "overlays/vision/prod", "overlays/gpu-fleet")
NAMESPACE = "catalogue"
_SECRET = re.compile(r"Secret (?:(\S+)/)?(\S+) must exist")


@dataclass(frozen=True)
class Built:
    """What a run of `build -o json` left behind."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """What was printed."""
        return list(json.loads(self.stdout)["items"])

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """The objects of one kind."""
        return [one for one in self.objects if one["kind"] == kind]

    @property
    def secrets(self) -> list[tuple[str, str]]:
        """Namespace and name of the Secrets that must exist."""
        return _SECRET.findall(self.stderr)

    @property
    def findings(self) -> list[str]:
        """What was said besides that, which is nothing in an example."""
        return [line for line in self.stderr.splitlines() if not _SECRET.search(line)]


def build(*arguments: str, stdin: str = "", cwd: Path = ROOT) -> Built:
    """Run the command."""
    return Built(*call(cwd, "build", "-o", "json", *arguments, stdin=stdin))


def build_over(runtime: Path, *options: str) -> Built:
    """A small TrainJob over a runtime."""
    body = yaml.safe_load(runtime.read_text())
    return build(str(runtime), "-", "-n", NAMESPACE, *options, stdin=yaml.safe_dump(job_over(body)))


def job_over(runtime: dict[str, Any]) -> dict[str, Any]:
    """A TrainJob of two nodes with two GPUs each; where the runtime has initializers, with something to fetch."""
    name = runtime["metadata"]["name"]
    jobs = {job["name"] for job in runtime["spec"]["template"]["spec"]["replicatedJobs"]}
    is_torchtune = runtime["metadata"]["labels"]["trainer.kubeflow.org/framework"] == "torchtune"
    amounts = {"nvidia.com/gpu": 2, "cpu": 8, "memory": "64Gi"}
    trainer = {
        "numNodes": 1 if is_torchtune else 2,
        "command": ["tune", "run"] if is_torchtune else ["python", "train.py"],
        "resourcesPerNode": {"requests": amounts, "limits": amounts},
    }
    wanted = {"dataset": "hf://tatsu-lab/alpaca", "model": "hf://Qwen/Qwen2.5-1.5B-Instruct"}
    initializer = {what: {"storageUri": uri} for what, uri in wanted.items() if f"{what}-initializer" in jobs}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": re.sub("[^a-z0-9]", "-", name)},
        "spec": {
            "runtimeRef": {"name": name},
            "trainer": trainer,
            **({"initializer": initializer} if initializer else {}),
        },
    }


def pods_of(jobset: dict[str, Any]) -> Sequence[dict[str, Any]]:
    """The pod specs of a JobSet, or of a runtime's template."""
    return [job["template"]["spec"]["template"]["spec"] for job in jobset["spec"]["replicatedJobs"]]
