"""Small manifests that the tests of commands write into files."""

from __future__ import annotations

from typing import Any

import yaml

Body = dict[str, Any]

TRAINER = "trainer.kubeflow.org/v1alpha1"


def manifest(kind: str, name: str, namespace: str = "", api_version: str = "v1", **fields: Any) -> Body:
    """An object; `namespace` "" states none."""
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def config_map(name: str, namespace: str = "", **data: str) -> Body:
    """A ConfigMap, which passes through."""
    return manifest("ConfigMap", name, namespace, data=data)


def train_job(name: str, runtime: str, namespace: str = "", **spec: Any) -> Body:
    """A TrainJob that refers to a ClusterTrainingRuntime."""
    return manifest("TrainJob", name, namespace, TRAINER, spec={"runtimeRef": {"name": runtime}, **spec})


def runtime(name: str, policy: Body | None = None, launcher: str = "") -> Body:
    """A ClusterTrainingRuntime of one replicatedJob `node`, and another one where `launcher` names it."""
    jobs = [_replicated_job(job) for job in ("node", launcher) if job]
    jobs[0]["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    spec: Body = {"mlPolicy": policy} if policy is not None else {}
    spec["template"] = {"spec": {"replicatedJobs": jobs}}
    return manifest("ClusterTrainingRuntime", name, api_version=TRAINER, spec=spec)


def team_runtime(name: str, namespace: str = "") -> Body:
    """A TrainingRuntime."""
    return manifest("TrainingRuntime", name, namespace, TRAINER, spec=runtime(name)["spec"])


def config(**settings: Any) -> list[Body]:
    """The only document of a `trainjob.yaml`."""
    return [{"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "Config", **settings}]


def overlay(*resources: str, **settings: Any) -> list[Body]:
    """The only document of an `overlay.yaml`."""
    head = {"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "Overlay"}
    return [{**head, "resources": list(resources), **settings}]


def stream(*bodies: Body) -> str:
    """The objects as YAML documents, their fields in the order given.

    Not for texts that PyYAML leaves bare and kubectl takes for something else, such as `n` and `1e3`.
    """
    return str(yaml.safe_dump_all(bodies, sort_keys=False, allow_unicode=True))


def _replicated_job(name: str) -> Body:
    pod = {"containers": [{"name": "node", "image": "acme/train:1"}]}
    return {"name": name, "template": {"spec": {"template": {"spec": pod}}}}


PLAIN = runtime("plain")
MPI = runtime("mpi", {"numNodes": 2, "mpi": {}}, launcher="launcher")
FLUX = runtime("flux", {"numNodes": 2, "flux": {}})
