"""What TrainJobs ask for: by hand, and on every recorded input against upstream's PodGroups and against `env`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from kubectl_trainjob.compiler.pipeline import trace
from kubectl_trainjob.explain.environment.describe import describe
from kubectl_trainjob.kube.facts.kinds import is_train_job
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.model.stages import BuildOptions, Manifest
from kubectl_trainjob.review.diff.changes import ComparedJob, Totals
from kubectl_trainjob.review.diff.totals import NOTHING, add, gpus, is_gpu, total, totals_of, world_size
from tests.conformance.versions import EACH_VERSION, LATEST_ONLY, SINCE_2_1, Chosen
from tests.reading import read
from tests.unit.explain.environment.jobs import asking, container, manifests, role
from tests.unit.review.diff.repository import compiled

Object = dict[str, Any]

NODE = container(resources=asking(nvidia_com__gpu=8, cpu="32", memory="64Gi"))
SIDECAR = {**container("log", resources=asking(cpu="500m")), "restartPolicy": "Always"}
HUNGRY = container("fetch", resources=asking(cpu="40"))
LIMITED = container(resources={"limits": {"amd.com/gpu": 2, "cpu": "4", "memory": "8Gi"}, "requests": {"cpu": 3}})


def shown(asked: Totals) -> dict[str, str]:
    return {name: str(quantity) for name, quantity in (asked.resources or {}).items()}


@pytest.mark.parametrize(
    ("text", "counts", "resources"),
    [
        pytest.param(
            manifests({"torch": {}, "numNodes": 4}, role("node", NODE), job={"trainer": {"numProcPerNode": 8}}),
            (4, 32),
            {"nvidia.com/gpu": "32", "cpu": "128", "memory": "256Gi"},
            id="torch",
        ),
        pytest.param(
            manifests({"torch": {}, "numNodes": 2}, role("node", NODE), job={"trainer": {}}),
            (2, 16),
            {"nvidia.com/gpu": "16", "cpu": "64", "memory": "128Gi"},
            id="a-process-a-gpu",
        ),
        pytest.param(
            manifests(
                {"torch": {}, "numNodes": 2},
                role(),
                job={"trainer": {"numNodes": 3, "resourcesPerNode": asking(nvidia_com__gpu=4)}},
            ),
            (3, 12),
            {"nvidia.com/gpu": "12"},
            id="resources-of-the-job",
        ),
        pytest.param(
            manifests(
                {"torch": {}, "numNodes": 2},
                role("model-initializer", container("model-initializer", resources=asking(cpu=2)), step="x"),
                role("node", NODE),
                job={"trainer": {"numProcPerNode": 1}},
            ),
            (3, 2),
            {"nvidia.com/gpu": "16", "cpu": "66", "memory": "128Gi"},
            id="initializers-count",
        ),
        pytest.param(
            manifests(
                {"mpi": {"mpiImplementation": "OpenMPI", "numProcPerNode": 2}, "numNodes": 3},
                role("launcher", container(resources=asking(cpu=1)), step=""),
                role("node", NODE),
            ),
            (4, 6),
            {"nvidia.com/gpu": "24", "cpu": "97", "memory": "192Gi"},
            id="launchers-count",
        ),
        pytest.param(
            manifests(
                None, role("node", NODE), role("server", container(resources=asking(cpu=1)), step="", replicas=3)
            ),
            (4, 1),
            {"nvidia.com/gpu": "8", "cpu": "35", "memory": "64Gi"},
            id="replicas-count",
        ),
        pytest.param(
            manifests(None, role("node", NODE, pod={"initContainers": [SIDECAR, HUNGRY], "overhead": {"cpu": "250m"}})),
            (1, 1),
            {"nvidia.com/gpu": "8", "cpu": "40750m", "memory": "64Gi"},
            id="init-containers",
        ),
        pytest.param(
            manifests({"numNodes": 2}, role("node", LIMITED)),
            (2, 2),
            {"amd.com/gpu": "4", "cpu": "6", "memory": "16Gi"},
            id="limits-are-requested",
        ),
        pytest.param(
            manifests(
                None,
                role("node", container("log"), LIMITED, pod={"resources": {"limits": {"cpu": 9, "memory": "9Gi"}}}),
            ),
            (1, 1),
            {"amd.com/gpu": "2", "cpu": "3", "memory": "8Gi"},
            id="limits-of-the-pod-behind-containers",
        ),
        pytest.param(
            manifests(
                None,
                role("node", pod={"resources": {"limits": {"cpu": 9, "memory": "9Gi"}, "requests": {"cpu": 5}}}),
            ),
            (1, 1),
            {"cpu": "5", "memory": "9Gi"},
            id="limits-of-the-pod",
        ),
        pytest.param(
            manifests({"torch": {}}, role("node", NODE), job={"trainer": {"numNodes": 0}}), (0, 0), {}, id="no-node"
        ),
        pytest.param(
            manifests(None, role("node", container(resources=asking(nvidia_com__gpu=0, cpu=1)))),
            (1, 1),
            {"cpu": "1"},
            id="nothing-of-a-resource",
        ),
    ],
)
def test_one_job(text: str, counts: tuple[int, int], resources: dict[str, str]) -> None:
    [only] = compiled(text=text).values()
    given = totals_of(only)
    assert (given.jobs, given.pods, given.processes) == (1, *counts)
    assert shown(given) == resources


@pytest.mark.parametrize(
    ("replicated", "pods"),
    [
        pytest.param({"template": {"spec": {}}}, 1, id="defaults"),
        pytest.param({"replicas": 2, "template": {"spec": {"parallelism": 3}}}, 6, id="no-completions"),
        pytest.param({"replicas": 2, "template": {"spec": {"parallelism": 5, "completions": 3}}}, 6, id="completions"),
        pytest.param({"replicas": 1, "template": {"spec": {"parallelism": 2, "completions": 9}}}, 2, id="in-turns"),
        pytest.param({"replicas": 0, "template": {"spec": {"parallelism": 2}}}, 0, id="no-replica"),
        pytest.param({"replicas": 2, "template": {"spec": {"parallelism": -1}}}, 0, id="negative"),
    ],
)
def test_pods_at_once(replicated: Object, pods: int) -> None:
    assert ReplicatedJob(0, replicated).pods == pods


def jobset(*resources: Object) -> Object:
    containers = [{"name": f"c{i}", "resources": each} for i, each in enumerate(resources)]
    template = {"spec": {"template": {"spec": {"containers": containers}}}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "j"},
        "spec": {"replicatedJobs": [{"name": "node", "template": template}]},
    }


@pytest.mark.parametrize(
    ("requests", "resources"),
    [
        pytest.param({"cpu": "much", "memory": "1Gi"}, {}, id="no-quantity"),
        pytest.param({"cpu": "-1", "memory": "1Gi"}, {"memory": "1Gi"}, id="negative"),
        pytest.param({"cpu": "1e2000000000", "memory": "1Gi"}, {"memory": "1Gi"}, id="endless"),
        pytest.param({"cpu": "9" * 4001, "memory": "1Gi"}, {}, id="too-long"),
        pytest.param({}, {}, id="nothing"),
    ],
)
def test_quantities_that_no_cluster_has(requests: Object, resources: dict[str, str]) -> None:
    [job] = compiled(text=manifests(None)).values()
    odd = totals_of(ComparedJob(job.manifest, job.runtime, (jobset({"requests": requests}),)))
    assert shown(odd) == resources
    assert shown(add(odd, odd)).keys() == resources.keys()


def test_a_job_that_is_not_built() -> None:
    [job] = compiled(text=manifests(None)).values()
    for runtime in (job.runtime, None):
        assert totals_of(ComparedJob(job.manifest, runtime)) == Totals(1, 0, 0, {})


def test_processes_that_nobody_knows_before_they_start() -> None:
    text = manifests({"torch": {"numProcPerNode": "auto"}, "numNodes": 2}, role("node", container()), job={})
    [job] = compiled(text=text, trainer_version="2.0").values()
    assert totals_of(job) == Totals(1, 2, 0, {}, unsized=1)


def test_sums() -> None:
    one = Totals(1, 2, 16, {"cpu": Quantity.parse("500m"), "nvidia.com/gpu": Quantity.parse(8)}, unsized=1)
    other = Totals(2, 3, 0, {"cpu": Quantity.parse(2), "memory": Quantity.parse("1Gi")}, unsized=2)
    assert total([]) == NOTHING
    both = total([one, other])
    assert (both.jobs, both.pods, both.processes, both.unsized) == (3, 5, 16, 3)
    assert shown(both) == {"cpu": "2500m", "nvidia.com/gpu": "8", "memory": "1Gi"}
    assert shown(one) == {"cpu": "500m", "nvidia.com/gpu": "8"}
    assert add(Totals(), Totals()) == NOTHING


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("nvidia.com/gpu", True, id="nvidia"),
        pytest.param("nvidia.com/gpu.shared", True, id="shared"),
        pytest.param("nvidia.com/mig-1g.5gb", True, id="mig"),
        pytest.param("amd.com/gpu", True, id="amd"),
        pytest.param("gpu.intel.com/i915", True, id="intel"),
        pytest.param("gpu.intel.com/xe", True, id="intel-xe"),
        pytest.param("gpu.intel.com/xe_monitoring", False, id="intel-monitoring"),
        pytest.param("gpu.intel.com/memory.max", False, id="intel-memory"),
        pytest.param("gpu.intel.com/millicores", False, id="intel-cores"),
        pytest.param("google.com/tpu", True, id="tpu"),
        pytest.param("habana.ai/gaudi", True, id="gaudi"),
        pytest.param("aws.amazon.com/neuroncore", True, id="neuron"),
        pytest.param("huawei.com/Ascend910", True, id="ascend"),
        pytest.param("nvidia.com/gpumem", False, id="hami-memory"),
        pytest.param("nvidia.com/gpucores", False, id="hami-cores"),
        pytest.param("volcano.sh/vgpu-number", True, id="volcano"),
        pytest.param("volcano.sh/vgpu-memory", False, id="volcano-memory"),
        pytest.param("koordinator.sh/gpu-memory-ratio", False, id="koordinator"),
        pytest.param("vpc.amazonaws.com/efa", False, id="network"),
        pytest.param("memory", False, id="memory"),
    ],
)
def test_gpus(name: str, expected: bool) -> None:
    assert is_gpu(name) is expected
    asked = Totals(1, 1, 1, {"cpu": Quantity.parse(1), name: Quantity.parse(2)})
    assert dict(gpus(asked)) == ({name: Quantity.parse(2)} if expected else {})


class Recorded(NamedTuple):
    """A job that is built: what is known of it here, the processes that `env` reports, and upstream's objects."""

    name: str
    job: ComparedJob
    world: int | None
    objects: list[Object]


@cache
def recorded(chosen: Chosen) -> list[Recorded]:
    return list(_recorded(chosen))


def _recorded(chosen: Chosen) -> Iterator[Recorded]:
    for case in chosen.cases():
        records = {job["job"]: job for job in case.expected.get("jobs", [])}
        documents = read(["-"], lambda _, text=case.input: text.encode())
        for traced in trace(documents, BuildOptions(trainer_version=chosen.version), is_train_job).jobs:
            if not traced.objects or traced.resolved is None:
                continue
            world = describe(traced).launch.total
            bodies = tuple(each.draft.value for each in traced.objects)
            runtime: Manifest = traced.resolved.runtime.manifest
            job = ComparedJob(traced.resolved.job.manifest, runtime, bodies)
            record = records.get(traced.train_job.identity.name, {})
            is_certain = record.get("verdict") == "accepted" and not record.get("nondeterministic")
            objects = record["objects"] if is_certain else []
            yield Recorded(f"{case.id}/{traced.train_job.identity.name}", job, world and world.value, objects)


@EACH_VERSION
def test_processes_are_those_of_env(chosen: Chosen) -> None:
    known = 0
    for each in recorded(chosen):
        assert world_size(each.job) == each.world, each.name
        known += each.world is not None
    assert known > 80


def replicated(objects: list[Object]) -> list[Object]:
    return [job for body in objects if body["kind"] == "JobSet" for job in body["spec"].get("replicatedJobs", [])]


def containers(objects: list[Object]) -> Iterator[Object]:
    for job in replicated(objects):
        spec = job["template"]["spec"]["template"]["spec"]
        yield from (*spec.get("initContainers", []), *spec.get("containers", []))


def requests_all(resources: Object) -> bool:
    return resources.get("limits", {}).keys() <= resources.get("requests", {}).keys()


@SINCE_2_1
def test_pods_are_those_of_upstreams_pod_groups(chosen: Chosen) -> None:
    """But for replicas, which PodGroups do not count; 2.0 counts wrong where several replicatedJobs are trainers."""
    compared = 0
    for each in recorded(chosen):
        if all(job.get("replicas", 1) == 1 for job in replicated(each.objects)):
            for group in (body for body in each.objects if body["kind"] == "PodGroup"):
                assert totals_of(each.job).pods == group["spec"]["minMember"], each.name
                compared += 1
    assert compared > 25 // chosen.every


@LATEST_ONLY
def test_resources_are_those_of_upstreams_pod_groups(chosen: Chosen) -> None:
    """But for replicas and limits that nobody requests; before 2.3 not all of a TrainJob's resources count there."""
    compared = 0
    for each in recorded(chosen):
        is_plain = all(job.get("replicas", 1) == 1 for job in replicated(each.objects))
        if not is_plain or not all(requests_all(one.get("resources", {})) for one in containers(each.objects)):
            continue
        for group in (body for body in each.objects if body["kind"] == "PodGroup"):
            least = {name: Quantity.parse(text) for name, text in group["spec"].get("minResources", {}).items()}
            assert totals_of(each.job).resources == {k: v for k, v in least.items() if not v.is_zero()}, each.name
            compared += bool(least)
    assert compared > 25 // chosen.every
