"""`status`, `suspend` and `resume` of jobs in queues of the real Kueue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.commands import Program, add_nodes, jobset, pods_of
from tests.cluster.plane import programs
from tests.cluster.plane.plane import Plane
from tests.cluster.test_status import wait
from tests.tools import missing

pytestmark = pytest.mark.cluster

_VERSION = "kueue.x-k8s.io/v1beta2"
_LABEL = "kueue.x-k8s.io/queue-name"


@pytest.fixture(scope="module")
def plane(control_plane: type[Plane]) -> Iterator[Plane]:
    if lacking := programs.lacking(programs.KUEUE):
        missing(f"the control plane lacks {', '.join(lacking)}; run tests/cluster/build")
    with control_plane("kube-scheduler", "kwok", "jobset-manager", programs.KUEUE) as plane:
        add_nodes(plane, 1)
        plane.client.create(_object("ResourceFlavor", "gpu", {}))
        quota = {"name": "gpu", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "2"}]}
        groups = [{"coveredResources": ["nvidia.com/gpu"], "flavors": [quota]}]
        plane.client.create(_object("ClusterQueue", "gpus", {"namespaceSelector": {}, "resourceGroups": groups}))
        yield plane


@pytest.fixture
def namespace(plane: Plane, namespace: str) -> str:
    """A namespace with the queue `main`."""
    queue = _object("LocalQueue", "main", {"clusterQueue": "gpus"})
    plane.client.create({**queue, "metadata": {"name": "main", "namespace": namespace}})
    return namespace


def _object(kind: str, name: str, spec: Any) -> dict[str, Any]:
    return {"apiVersion": _VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


def queued(namespace: str, name: str, gpus: int, queue: str = "main") -> dict[str, Any]:
    """A JobSet with one Pod, in a queue."""
    return jobset(namespace, name, labels={_LABEL: queue}, resources={"limits": {"nvidia.com/gpu": gpus}})


def test_the_life_of_a_queued_job(plane: Plane, program: Program, namespace: str) -> None:
    plane.client.create(queued(namespace, "a", 3))
    quota = "insufficient quota for nvidia.com/gpu in flavor gpu"
    plane.client.wait(quota, lambda: quota in wait(program, namespace, "Pending", "Queued")["message"])
    found = wait(program, namespace, "Pending", "Queued")
    assert (found["queue"], found["suspended"], found["gpus"]) == ("main", True, {"nvidia.com/gpu": 3})
    ran = program("suspend", "a", "-n", namespace, "--wait")
    assert (ran.code, ran.out) == (0, "jobset.jobset.x-k8s.io/a suspended\n"), ran.err
    wait(program, namespace, "Suspended")
    assert program("suspend", "a", "-n", namespace).out == "jobset.jobset.x-k8s.io/a unchanged\n"
    assert program("resume", "a", "-n", namespace).out == "jobset.jobset.x-k8s.io/a resumed\n"
    wait(program, namespace, "Pending", "Queued")


def test_an_admitted_job_is_suspended_by_its_workload(plane: Plane, program: Program, namespace: str) -> None:
    client = plane.client
    client.create(queued(namespace, "a", 2))
    wait(program, namespace, "Running")
    (pod,) = pods_of(client, namespace, "a")
    assert program("suspend", "a", "-n", namespace, "--dry-run=server").code == 0
    assert [each["metadata"]["uid"] for each in pods_of(client, namespace, "a")] == [pod["metadata"]["uid"]]
    ran = program("suspend", "a", "-n", namespace, "--wait")
    assert (ran.code, pods_of(client, namespace, "a")) == (0, []), ran.err
    found = wait(program, namespace, "Suspended")
    assert "deactivated" in found["message"].lower()
    (workload,) = [each for each in client.items(_VERSION, "Workload") if each["metadata"]["namespace"] == namespace]
    assert (workload["spec"]["active"], "admission" in workload["status"]) == (False, False)
    client.create(queued(namespace, "b", 2))  # the quota is free
    client.wait("b", lambda: len(pods_of(client, namespace, "b")) == 1)
    client.request("DELETE", f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets/b")
    ran = program("resume", "a", "-n", namespace, "--wait")
    assert (ran.code, ran.out) == (0, "jobset.jobset.x-k8s.io/a resumed\n"), ran.err
    wait(program, namespace, "Running")
    client.request("DELETE", f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets/a")


def test_a_queue_that_does_not_exist(plane: Plane, program: Program, namespace: str) -> None:
    plane.client.create(queued(namespace, "a", 1, queue="absent"))
    assert wait(program, namespace, "Pending", "QueueMissing")["message"] == "LocalQueue absent doesn't exist"


def test_kueue_creates_no_workload(plane: Plane, program: Program, namespace: str) -> None:
    body = queued(namespace, "a", 1)
    body["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "ghost"
    plane.client.create(body)
    assert "priority class" in wait(program, namespace, "Pending", "Queued")["message"]
    ran = program("suspend", "a", "-n", namespace)
    assert (ran.code, "has not created its Workload" in ran.err) == (1, True)


def test_doctor_checks_the_queues_of_the_files(program: Program, namespace: str, tmp_path: Any) -> None:
    file = tmp_path / "a.yaml"
    body = "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: NAME, labels: {LABEL: NAME}}, SPEC}\n"
    spec = (
        "spec: {replicatedJobs: [{name: a, template: {spec: {template: {spec: {containers: [{name: a, image: a}]}}}}}]}"
    )
    text = body.replace("LABEL", _LABEL).replace("SPEC", spec)
    file.write_text(text.replace("NAME", "main") + "---\n" + text.replace("NAME", "absent"))
    ran = program("doctor", str(file), "-n", namespace)
    assert f"error    kueue: LocalQueue {namespace}/absent does not exist" in ran.out
    assert f"LocalQueue {namespace}/main" not in ran.out
    assert "ok       kueue: Kueue is installed (kueue.x-k8s.io/v1beta2)" in ran.out
