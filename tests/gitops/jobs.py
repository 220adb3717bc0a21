"""A repository with one job, whose Pods run until they are deleted, and a ConfigMap."""

from __future__ import annotations

from typing import Any

from tests.cluster.plane.client import Client

_JOBSETS = "jobset.x-k8s.io/v1alpha2", "JobSet"
_SETTINGS = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\ndelivery: {}\n"
_OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../../jobs]\n"
_RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: torch
spec:
  mlPolicy: {{numNodes: 2, torch: {{}}}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
            spec:
              backoffLimit: 0
              template:
                metadata: {{annotations: {{fake-pod/outcome: {}}}}}
                spec: {{restartPolicy: Never, containers: [{{name: node, image: acme/train:1}}]}}
"""
_JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {}}}
spec:
  runtimeRef: {{kind: TrainingRuntime, name: {}}}
  trainer:
    image: acme/train:{}
    command: [sh, -c, 'echo ${{PET_NNODES}} $${{HOME}}']
"""
_CONFIG = """apiVersion: v1
kind: ConfigMap
metadata: {{name: settings}}
data: {{rate: "{}", script: 'echo ${{RANK}}'}}
"""


def repository(name: str, delivery: str, outcome: str = "hang") -> dict[str, str | None]:
    """The files. `outcome` is "hang", "fail" or "succeed"."""
    return {
        "trainjob.yaml": _SETTINGS.format(delivery),
        "overlays/prod/overlay.yaml": _OVERLAY,
        "jobs/runtime.yaml": _RUNTIME.format(outcome),
        "jobs/job.yaml": job(name),
        "jobs/settings.yaml": config(1),
    }


def job(name: str, version: int = 1, runtime: str = "torch") -> str:
    """The TrainJob, with the tag of its image."""
    return _JOB.format(name, runtime, version)


def config(rate: int) -> str:
    """The ConfigMap with its value."""
    return _CONFIG.format(rate)


def live_jobset(client: Client, namespace: str) -> dict[str, Any]:
    """The JobSet in a namespace."""
    return next(each for each in client.items(*_JOBSETS) if each["metadata"]["namespace"] == namespace)


def live_runs(client: Client, namespace: str) -> set[str]:
    """The names of the JobSets in a namespace that are not being deleted."""
    found = (each["metadata"] for each in client.items(*_JOBSETS))
    return {each["name"] for each in found if each["namespace"] == namespace and "deletionTimestamp" not in each}


def live_config(client: Client, namespace: str) -> dict[str, str] | None:
    """The data of the ConfigMap in a namespace."""
    found = (each for each in client.items("v1", "ConfigMap") if each["metadata"]["name"] == "settings")
    return next((each["data"] for each in found if each["metadata"]["namespace"] == namespace), None)


def container(jobset: dict[str, Any]) -> dict[str, Any]:
    """The container of a JobSet."""
    (replicated,) = jobset["spec"]["replicatedJobs"]
    found: dict[str, Any] = replicated["template"]["spec"]["template"]["spec"]["containers"][0]
    return found


def is_running(client: Client, namespace: str) -> bool:
    """Whether all Pods of the JobSet are ready."""
    roles = live_jobset(client, namespace).get("status", {}).get("replicatedJobsStatus")
    return bool(roles) and all(each["ready"] for each in roles)
