"""Which Pod has the log of a rank, for JobSets that are built from the launchers of Trainer."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_trainjob.cluster.jobs.find import FoundJob
from kubectl_trainjob.cluster.logs.slots import NoSlotError, slot_of_rank, slot_of_role
from kubectl_trainjob.model.stages import identity_of


def container(**env: str) -> dict[str, Any]:
    return {"name": "node", "image": "a", "env": [{"name": name, "value": value} for name, value in env.items()]}


def role(name: str, pods: int, body: Any, *, trains: bool = True, replicas: int = 1, **pod: Any) -> dict[str, Any]:
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"} if trains else {}
    template = {"spec": {"containers": [body], **pod}}
    spec = {"parallelism": pods, "completions": pods, "template": template}
    return {"name": name, "replicas": replicas, "template": {"metadata": {"labels": labels}, "spec": spec}}


def jobset(*roles: Any) -> Any:
    metadata = {"name": "job", "namespace": "ns", "uid": "1"}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata,
        "spec": {"replicatedJobs": [*roles]},
    }


def found(body: Any) -> FoundJob:
    return FoundJob(identity_of(body), body, body)


# As Trainer 2.3 writes them.
TORCH = jobset(role("node", 2, container(PET_NNODES="2", PET_NPROC_PER_NODE="4", PET_MASTER_ADDR="job-node-0-0.job")))
GPUS = container(PET_NNODES="2", PET_NPROC_PER_NODE="auto") | {"resources": {"limits": {"nvidia.com/gpu": "8"}}}
AUTO = jobset(role("node", 2, GPUS))
UNKNOWN = jobset(role("node", 2, container(PET_NNODES="2", PET_NPROC_PER_NODE="auto")))
JAX = jobset(role("node", 3, container(JAX_NUM_PROCESSES="3", JAX_PROCESS_ID="")))
XGBOOST = jobset(role("node", 2, container(DMLC_NUM_WORKER="4")))
HOSTS = {"name": "mpi-hostfile", "configMap": {"name": "job-mpi-hostfile"}}
MPI = jobset(
    role("launcher", 1, container(), volumes=[HOSTS]), role("node", 2, container(), trains=False, volumes=[HOSTS])
)
HOSTFILE = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "job-mpi-hostfile", "namespace": "ns"},
    "data": {"hostfile": "job-node-0-0.job slots=2\njob-node-0-1.job slots=2\n"},
}
ENTRYPOINT = {"name": "flux-entrypoint", "configMap": {"name": "job-flux-entrypoint"}}
FLUX = jobset(role("node", 4, container(), volumes=[ENTRYPOINT]))
INITIALIZED = jobset(role("dataset-initializer", 1, container(), trains=False), role("node", 2, container()))
WRITTEN = jobset(
    role("leader", 1, container(), trains=False), role("workers", 2, container(), trains=False, replicas=2)
)


@pytest.mark.parametrize(
    ("body", "rank", "job", "index"),
    [
        (TORCH, 0, "job-node-0", 0),
        (TORCH, 3, "job-node-0", 0),
        (TORCH, 4, "job-node-0", 1),
        (AUTO, 7, "job-node-0", 0),
        (AUTO, 8, "job-node-0", 1),
        (UNKNOWN, 1, "job-node-0", 1),
        (JAX, 2, "job-node-0", 2),
        (XGBOOST, 1, "job-node-0", 0),
        (XGBOOST, 2, "job-node-0", 1),
        (MPI, 0, "job-launcher-0", 0),
        (MPI, 3, "job-launcher-0", 0),
        (FLUX, 2, "job-node-0", 0),
        (INITIALIZED, 0, "job-node-0", 0),
        (INITIALIZED, 1, "job-node-0", 1),
        (WRITTEN, 0, "job-leader-0", 0),
        (WRITTEN, 4, "job-workers-1", 1),
    ],
)
def test_the_pod_of_a_rank(body: Any, rank: int, job: str, index: int) -> None:
    objects = [body, HOSTFILE] if body is MPI else [body]
    slot = slot_of_rank(found(body), objects, rank)
    assert (slot.job, slot.index) == (job, index)


@pytest.mark.parametrize(
    ("body", "rank"), [(TORCH, 8), (AUTO, 16), (JAX, 3), (XGBOOST, 4), (INITIALIZED, 2), (WRITTEN, 5)]
)
def test_a_rank_that_does_not_exist(body: Any, rank: int) -> None:
    with pytest.raises(NoSlotError, match=f"rank {rank} does not exist; the job has the ranks 0 to {rank - 1}"):
        slot_of_rank(found(body), [body], rank)


def test_the_pods_of_a_role_are_counted_over_its_jobs() -> None:
    assert [slot_of_role(found(WRITTEN), "workers", index).job for index in range(4)] == [
        *["job-workers-0"] * 2,
        *["job-workers-1"] * 2,
    ]
    with pytest.raises(NoSlotError, match="index 4 does not exist"):
        slot_of_role(found(WRITTEN), "workers", 4)
    with pytest.raises(NoSlotError, match="the roles are: leader, workers"):
        slot_of_role(found(WRITTEN), "node", 0)


def test_a_job_without_a_jobset() -> None:
    spec = {"completions": 2, "completionMode": "Indexed", "template": {"spec": {"containers": [container()]}}}
    body = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a", "namespace": "ns", "uid": "1"},
        "spec": spec,
    }
    job = FoundJob(identity_of(body), body, None, (body,))
    slot = slot_of_rank(job, [], 1)
    assert (slot.job, slot.index, slot.is_indexed) == ("a", 1, True)
    assert slot_of_role(job, "a", 0).job == "a"
