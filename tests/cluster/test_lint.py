"""What lint says of a job before it runs is what the real controllers then do with it.

API server, JobSet, Trainer 2.3 and Kubernetes' Job controller; no scheduler places a Pod, as a gang scheduler places
none of a gang that is not complete.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.cluster.ownership import Object
from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane
from tests.unit.lint.reported import reported, shown
from tests.unit.lint.test_proofs_gang import example

pytestmark = pytest.mark.cluster

_SETTLED = 5.0  # seconds in which everything that is going to happen has happened
LATE = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: late}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: acme/train:1.4
                  resources: {requests: {nvidia.com/gpu: 1}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: late}
spec: {runtimeRef: {name: late}, trainer: {}}
"""


@pytest.fixture(scope="module")
def client(control_plane: type[Plane]) -> Iterator[Client]:
    """A cluster without a scheduler."""
    with control_plane("jobset-manager", "trainer-manager") as plane:
        yield plane.client


def create(client: Client, namespace: str, text: str) -> None:
    """The runtime and the TrainJob of a text, the TrainJob once the webhook knows the runtime."""
    client.create_namespace(namespace)
    runtime, job = (each for each in yaml.safe_load_all(text))
    runtime["metadata"]["name"] = job["spec"]["runtimeRef"]["name"] = namespace
    client.create(runtime)
    job["metadata"]["namespace"] = namespace
    client.wait("the TrainJob", lambda: client.create(job))


def of(client: Client, namespace: str, version: str, kind: str) -> list[Object]:
    """The objects of one namespace."""
    return [each for each in client.items(version, kind) if each["metadata"]["namespace"] == namespace]


def jobs(client: Client, namespace: str) -> set[str]:
    """The replicatedJobs that there are Jobs of."""
    return {
        each["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-name"]
        for each in of(client, namespace, "batch/v1", "Job")
    }


def members(client: Client, namespace: str) -> tuple[int, int] | None:
    """The Pods of the gang that exist, and how many must exist before one is placed; None without a PodGroup."""
    groups = of(client, namespace, "scheduling.x-k8s.io/v1alpha1", "PodGroup")
    if not groups:
        return None
    (group,) = groups
    name = group["metadata"]["name"]
    pods = of(client, namespace, "v1", "Pod")
    marked = [each for each in pods if each["metadata"]["labels"].get("scheduling.x-k8s.io/pod-group") == name]
    return len(marked), group["spec"]["minMember"]


def test_a_gang_with_depends_on_is_never_complete(client: Client) -> None:
    """KTJ601: the Job that completes the gang comes only after the other one ended, which nothing ever starts."""
    create(client, "gang-bad", example("KTJ601", "Bad", "gang", "{numNodes: 2}"))
    client.wait("the first Pod", lambda: of(client, "gang-bad", "v1", "Pod"))
    time.sleep(_SETTLED)
    assert jobs(client, "gang-bad") == {"prepare"}
    assert members(client, "gang-bad") == (1, 3)

    (pod,) = of(client, "gang-bad", "v1", "Pod")
    end = {"status": {"phase": "Succeeded"}}
    client.request("PATCH", f"{client.path(pod)}/status", end, "application/merge-patch+json")
    client.wait("the dependent Job", lambda: jobs(client, "gang-bad") == {"prepare", "node"})
    client.wait("the dependent Pods", lambda: members(client, "gang-bad") == (3, 3))


def test_a_gang_without_is_complete_at_once(client: Client) -> None:
    create(client, "gang-good", example("KTJ601", "Good", "gang", "{numNodes: 2}"))
    client.wait("the gang", lambda: members(client, "gang-good") == (2, 2))


def test_a_job_that_is_rejected_late_is_found_in_an_event_only(client: Client, tmp_path: Path) -> None:
    """The TrainJob and the JobSet are accepted, then no Job comes."""
    create(client, "late", LATE)
    client.wait("the JobSet", lambda: of(client, "late", "jobset.x-k8s.io/v1alpha2", "JobSet"))
    said = "Limit must be set for non overcommitable resources"
    events = client.wait(
        "the event", lambda: [each for each in of(client, "late", "v1", "Event") if said in each["message"]]
    )
    assert {each["involvedObject"]["kind"] for each in events} == {"JobSet"}
    assert jobs(client, "late") == set()
    assert of(client, "late", "v1", "Pod") == []
    assert [rule for rule, _ in shown(reported(tmp_path, LATE))] == ["KTJ301"]
