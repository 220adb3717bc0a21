"""The files that the scenarios apply: runtimes whose jobs stay, end or fail, and jobs with them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Object = dict[str, Any]
_TRAINER = "trainer.kubeflow.org/v1alpha1"
NOWHERE = {"runs": "nowhere"}
"""A nodeSelector that no node has: the Pods wait, and the run counts as running."""


def runtime(name: str, *, ends: bool = False, policy: str = "", gang: bool = False, ttl: int | None = None) -> Object:
    """A runtime: its jobs end at once, or run until they are deleted. `policy` is its ML policy."""
    pod: Object = {
        "containers": [{"name": "node", "image": "example.com/train:1", "env": [{"name": "A", "value": "1"}]}]
    }
    if not ends:
        pod["nodeSelector"] = NOWHERE
    job = {
        "metadata": {"labels": {f"{_TRAINER.split('/', maxsplit=1)[0]}/trainjob-ancestor-step": "trainer"}},
        "spec": {"template": {"spec": pod}},
    }
    jobs = [{"name": "node", "template": job}]
    if policy == "mpi":
        jobs = [
            {"name": "launcher", "template": job},
            {"name": "node", "template": {"spec": {"template": {"spec": pod}}}},
        ]
    spec: Object = {"template": {"spec": {"replicatedJobs": jobs}}}
    if ttl is not None:
        spec["template"]["spec"]["ttlSecondsAfterFinished"] = ttl
    policies: dict[str, Object] = {
        "mpi": {"numNodes": 2, "mpi": {"mpiImplementation": "OpenMPI", "numProcPerNode": 1}},
        "flux": {"numNodes": 2, "flux": {"numProcPerNode": 1}},
        "torch": {"numNodes": 2, "torch": {}},
    }
    if policy:
        spec["mlPolicy"] = policies[policy]
    if gang:
        spec["podGroupPolicy"] = {"coscheduling": {"scheduleTimeoutSeconds": 60}}
    labels = {f"{_TRAINER.split('/', maxsplit=1)[0]}/framework": policy or "plain"}
    return {
        "apiVersion": _TRAINER,
        "kind": "TrainingRuntime",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
    }


def job(
    name: str,
    runtime: str = "stays",
    *,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    image: str = "",
    suspend: bool | None = None,
    **spec: Any,
) -> Object:
    """A TrainJob."""
    metadata: Object = {"name": name}
    if labels:
        metadata["labels"] = dict(labels)
    if annotations:
        metadata["annotations"] = dict(annotations)
    body: Object = {"runtimeRef": {"kind": "TrainingRuntime", "name": runtime}, **spec}
    if image:
        body["trainer"] = {**body.get("trainer", {}), "image": image}
    if suspend is not None:
        body["suspend"] = suspend
    return {"apiVersion": _TRAINER, "kind": "TrainJob", "metadata": metadata, "spec": body}


def config(name: str, value: str = "1", **metadata: Any) -> Object:
    """A ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"key": value}}


RUNTIMES = (
    runtime("stays"),
    runtime("ends", ends=True),
    runtime("gang", policy="torch", gang=True),
    runtime("mpi", policy="mpi"),
    runtime("flux", policy="flux"),
    runtime("short", ends=True, ttl=0),
)


def write(folder: Path, objects: list[Object]) -> None:
    """Write a repository that has exactly these objects; JSON is YAML."""
    (folder / "runtimes").mkdir(parents=True, exist_ok=True)
    (folder / "jobs").mkdir(exist_ok=True)
    (folder / "trainjob.yaml").write_text(
        "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\nruntimes: [runtimes]\n"
    )
    for number, one in enumerate(RUNTIMES):
        (folder / "runtimes" / f"{number}.yaml").write_text(json.dumps(one))
    for old in (folder / "jobs").iterdir():
        old.unlink()
    for number, one in enumerate(objects):
        (folder / "jobs" / f"{number:03}.yaml").write_text(json.dumps(one, indent=1))
